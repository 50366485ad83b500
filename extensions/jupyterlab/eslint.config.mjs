import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['lib', 'node_modules', '.yarn', 'src/schema.ts'] },
  js.configs.recommended,
  tseslint.configs.recommended,
  {
    files: ['src/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error'
    }
  },
  {
    // Foreign text enters the page by textContent only.
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write'].map(property => ({
          property,
          message: 'use markup.element'
        }))
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]', message: 'use markup.element' }
      ]
    }
  },
  { files: ['scripts/**'], languageOptions: { globals: { console: 'readonly', process: 'readonly' } } }
);
