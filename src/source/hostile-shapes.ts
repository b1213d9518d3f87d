/** Inputs made to cost much, about `size` characters each; used by tests only. */
export function hostileShapes(size = 500_000): Readonly<Record<string, string>> {
  const fill = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));
  const lines = (line: (index: number) => string): string =>
    Array.from({ length: Math.ceil(size / line(1000).length) }, (_, index) => line(index)).join('');
  return { ...structures(fill, lines), ...characters(fill) };
}

type Fill = (unit: string) => string;

/** Each level holds the one before `width` times. */
function bomb(levels: number, width: number): string {
  const level = (i: number): string => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(width)}]\n`;
  return `a0: &a0 [${'x,'.repeat(width)}]\n${Array.from({ length: levels }, (_, i) => level(i)).join('')}`;
}

function structures(fill: Fill, lines: (line: (index: number) => string) => string): Record<string, string> {
  return {
    'alias bomb': bomb(9, 9),
    'wide alias bomb': bomb(3, 20_000),
    'alias of itself': 'a: &a [*a, *a]\n',
    'many aliases': `a: &a {b: 1}\nc: [${fill('*a, ')}*a]\n`,
    'many anchors': lines((i) => `k${i}: &a${i} v\n`),
    'anchors before one value': `a: ${fill('&a\n ')}x`,
    'merge bomb': `a: &a {b: 1}\n${lines((i) => `k${i}: {<<: *a}\n`)}`,
    'flow depth': fill('['),
    'flow map depth': fill('{a: '),
    'block depth': Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
    'sequence depth': fill('- '),
    'explicit key depth': fill('? '),
    'tag chain': fill('!!str '),
    'duplicate keys': fill('a: 1\n'),
    'many keys, the last one twice': `${lines((i) => `k${i}: 1\n`)}k1: 2\n`,
    'many documents': fill('---\n'),
    'many words as documents': fill('--- a\n'),
    'many small documents': fill('a: 1\n---\n'),
    'dense list': `a: [${fill('1,')}]`,
    'dense list and a tab': `a: [${fill('1,')}]\nb:\t1\n`,
    'list of nothing': `kind: List\nitems:\n${fill('-\n')}`,
    'list of lists': `kind: List\nitems: [${fill('{kind: List, items: []},')}]`,
    'JSON depth': `{"a":${fill('[')}`,
    'JSON list': `{"kind":"List","items":[${fill('{},')}{}]}`,
  };
}

function characters(fill: Fill): Record<string, string> {
  return {
    tabs: fill('\t'),
    'tab lines': fill('\ta: 1\n'),
    'huge word': fill('a'),
    'huge key': `${fill('a')}: 1`,
    'huge number': fill('9'),
    'huge quoted text': `a: "${fill('x')}`,
    'open quotes': fill("'a\n"),
    'open double quotes': fill('"a\\'),
    escapes: `a: "${fill('\\x41')}`,
    'many ends': fill('...\n'),
    'many directives': fill('%YAML 1.2\n'),
    'blank lines': fill('\n'),
    'blank lines in a value': `a: b${fill('\n')}  c`,
    spaces: fill(' '),
    comments: fill('# x\n'),
    'block scalar of blank lines': `a: |\n${fill(' \n')}`,
    'block scalar that grows': `a: |\n${Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}\n`).join('')}`,
    colons: fill(':'),
    'colon and space': fill(': '),
    dashes: fill('-'),
    'question marks': fill('?'),
    commas: `[${fill(',')}`,
    'empty flow mappings': `a: [${fill('{},')}]`,
    'brackets that close': fill(']'),
    'closing bracket and spaces': `a: ${fill(']   ')}`,
    ampersands: fill('& '),
    'percent signs': fill('%'),
    'control characters': fill('\u0001'),
    'next-line characters': fill('\u0085'),
  };
}
