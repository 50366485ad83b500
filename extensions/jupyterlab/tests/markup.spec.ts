// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { element, table } from '../src/markup';

describe('markup', () => {
  it('takes foreign text as text', () => {
    const made = element('div', '', '<img src=x onerror=alert(1)>\u001b[31mred\u001b[0m');
    expect(made.children).toHaveLength(0);
    expect(made.textContent).toBe('<img src=x onerror=alert(1)>red');
  });

  it('leaves out columns of a table that say nothing', () => {
    const made = table(
      ['a', 'b', 'c'],
      [
        ['1', '–', ''],
        ['2', '', 'x']
      ],
      [true, false]
    );
    expect([...made.querySelectorAll('th')].map(cell => cell.textContent)).toEqual(['a', 'c']);
    expect(made.querySelectorAll('tr.klab-failed')).toHaveLength(1);
  });
});
