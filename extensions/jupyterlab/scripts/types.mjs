// Writes src/schema.ts from the package's JSON Schema, so that the payload is typed once.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';

const here = dirname(fileURLToPath(import.meta.url));
const path = join(here, '../../../kernel_lab/schemas/report.v1.schema.json');
const schema = JSON.parse(await readFile(path, 'utf8'));
// The type generator reads the identifier as a place to fetch from; the types need none.
delete schema.$id;
// It knows tuples as drafts before 2020-12 wrote them.
for (const definition of Object.values(schema.$defs)) {
  if (definition.prefixItems) {
    definition.items = definition.prefixItems;
    definition.additionalItems = false;
    delete definition.prefixItems;
  }
}
const bannerComment = '// Generated from kernel_lab/schemas/report.v1.schema.json by `jlpm types`; do not edit.';
const types = await compile(schema, 'Report', { bannerComment, unreachableDefinitions: true });
const version = `\nexport const SCHEMA_VERSION = ${JSON.stringify(schema.properties.schema_version.const)};\n`;
await writeFile(join(here, '../src/schema.ts'), types + version);
