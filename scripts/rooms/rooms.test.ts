import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { circlesOf } from './circles.ts';
import { globalsOf, importsOf } from './imports.ts';
import { importedName, readTable, refusalsOf, roomOf } from './table.ts';

const root = path.resolve(import.meta.dirname, '../..');
const tableText = readFileSync(path.join(import.meta.dirname, 'rooms.txt'), 'utf8');
const table = readTable(tableText);

/** What tests and what they share may import is theirs. */
const isProduct = (name: string): boolean => name.endsWith('.ts') && !/\.(test|e2e)\.ts$|(^|\/)testing\//.test(name);

const files = new Map(
  readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(isProduct)
    .map((name) => [`src/${name}`, readFileSync(path.join(root, 'src', name), 'utf8')] as const),
);

describe('the table of rooms', () => {
  test('allows every import of the product', () => {
    expect([...files].flatMap(([file, text]) => refusalsOf(table, file, text))).toEqual([]);
  });

  test('names nothing that no room needs', () => {
    const needed = new Set(
      [...files].flatMap(([file, text]) => {
        const room = roomOf(table, file);
        const places = [room, file.slice('src/'.length)];
        return [
          ...(globalsOf(text).length > 0 ? places : []),
          ...importsOf(file, text).flatMap(({ target }) => {
            const imported = importedName(table, target);
            return imported === 'world' ? places : [`${room} > ${imported}`];
          }),
        ];
      }),
    );
    const isPure = (file: string): boolean => table.pure.includes(file.slice('src/'.length));
    for (const [file, text] of files) {
      if (table.world.includes(roomOf(table, file) ?? '') && !isPure(file)) continue;
      for (const { target } of importsOf(file, text)) if (isPure(target)) needed.add(target.slice('src/'.length));
    }
    const named = [...table.rooms].flatMap(([room, imports]) => [...imports].map((name) => `${room} > ${name}`));
    expect([...named, ...table.world, ...table.pure].filter((name) => !needed.has(name))).toEqual([]);
  });

  test.each([...table.rooms.keys()])('refuses %s every room that it does not name for it, of types too', (room) => {
    const [file, text] = [...files].find(([name]) => roomOf(table, name) === room) ?? [];
    if (file === undefined || text === undefined) throw new Error(`no file is in ${room}`);
    const others = [...table.rooms.keys()].filter((name) => name !== room && !table.rooms.get(room)?.has(name));
    const up = '../'.repeat(file.split('/').length - 2);
    for (const other of others) {
      const [line = ''] = [`import type { X } from '${up}${other}/x.ts';\n`];
      expect(refusalsOf(table, file, line + text)).toEqual([`${file}:1: ${room} may not import ${other}`]);
    }
    const world = refusalsOf(table, file, `import { readFileSync } from 'node:fs';\n${text}`);
    if (!table.world.includes(room) && !table.world.includes(file.slice('src/'.length)))
      expect(world).toEqual([`${file}:1: ${room} may not import node:fs`]);
  });

  test.each(['Buffer.alloc(1)', 'process.env.HOME', 'new Map<string, Buffer>()'])(
    'refuses %s where a browser must be able to run the file',
    (use) => {
      const [name = ''] = /Buffer|process/.exec(use) ?? [];
      expect(refusalsOf(table, 'src/config/x.ts', `// Buffer.alloc\nconst x = ${use};\n`)).toEqual([
        `src/config/x.ts:2: config may not use ${name}`,
      ]);
      expect(refusalsOf(table, 'src/agent/x.ts', `const x = ${use};\n`)).toEqual([]);
    },
  );

  test('refuses a value of a file that needs Node where a browser must be able to run the file, and none of a pure file', () => {
    const refused = (file: string, statement: string) => refusalsOf(table, file, `${statement}\n`);
    const needsNode = "from '../live/compile-aside.ts';";
    expect(refused('src/library/x.ts', `import { createCompileAside } ${needsNode}`)).toEqual([
      'src/library/x.ts:1: runs in a browser, and may not import src/live/compile-aside.ts, which does not',
    ]);
    expect(refused('src/library/x.ts', `import type { CompileAside } ${needsNode}`)).toEqual([]);
    expect(refused('src/cli/x.ts', `import { createCompileAside } ${needsNode}`)).toEqual([]);
    const gather = 'src/live/key-sets/gather.ts';
    expect(refused('src/library/x.ts', `import { createKeySetGatherer } from '../${gather.slice(4)}';`)).toEqual([]);
    expect(refused(gather, "import { readFile } from 'node:fs/promises';")).toEqual([
      `${gather}:1: live may not import node:fs/promises`,
    ]);
    expect(refused(gather, "import { readKeySetFiles } from './files.ts';")).toEqual([
      `${gather}:1: runs in a browser, and may not import src/live/key-sets/files.ts, which does not`,
    ]);
  });

  test('refuses a folder that it does not name', () => {
    expect(refusalsOf(table, 'src/attic/x.ts', '')).toEqual(['src/attic/x.ts: no room of the table holds it']);
    expect(refusalsOf(table, 'src/lib/x.ts', "export { y } from '../attic/y.ts';\n")).toEqual([
      'src/lib/x.ts:1: lib may not import src/attic/y.ts',
    ]);
  });

  test('leads nowhere in a circle', () => {
    const graph = new Map([...table.rooms].filter(([room]) => room !== 'generated'));
    expect(circlesOf(graph)).toEqual([]);
  });

  test('fits on a page', () => {
    expect(tableText.split('\n').length).toBeLessThanOrEqual(60);
  });
});

const page = readFileSync(path.join(root, 'docs/explanation/architecture.md'), 'utf8');

/** The rows of a section of the page on the architecture: the first two cells of each. */
function rowsOf(heading: string): readonly (readonly [string, string])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [rows = ''] = section.split('\n## ');
  return [...rows.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(([, first = '', second = '']) => [first, second]);
}

test('the page on the architecture names each folder of src/, and no other', () => {
  const named = rowsOf('Rooms').flatMap(([cell]) => cell.match(/(?<=`)[a-z]+(?=`)/g) ?? []);
  const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
});

describe('the front doors on the page on the architecture', () => {
  const entered = new Map<string, Set<string>>();
  for (const [file, text] of files) {
    for (const { target } of importsOf(file, text)) {
      const room = roomOf(table, target);
      if (room === undefined || room === roomOf(table, file)) continue;
      const doors = entered.get(room) ?? new Set();
      entered.set(room, doors.add(target.slice(`src/${room}/`.length)));
    }
  }
  const listed = rowsOf('Front doors').flatMap(([cell, doors]): (readonly [string, string])[] => {
    const [, room] = /^`(.+)`$/.exec(cell) ?? [];
    return room === undefined ? [] : [[room, doors]];
  });

  test.each(listed)('are the files of %s that other rooms import', (room, doors) => {
    expect([...(entered.get(room) ?? [])].sort().map((door) => `\`${door}\``)).toEqual(doors.split(', '));
  });

  test('are those of each room of the table but for the rooms that are named without any', () => {
    const [, section = ''] = page.split('\n## Front doors\n');
    const [prose = ''] = section.split('\n|');
    const named = (from: string): readonly string[] =>
      prose
        .split(from)[1]
        ?.split('.')[0]
        ?.match(/(?<=`)[a-z/]+(?=`)/g) ?? [];
    const open = named('Other rooms may import each file of');
    const closed = named('No room imports');
    expect([...listed.map(([room]) => room), ...open].sort()).toEqual([...entered.keys()].sort());
    expect([...entered.keys(), ...closed].sort()).toEqual([...table.rooms.keys()].sort());
  });
});

test('the files of the product import each other in no circle, of types neither', () => {
  const graph = new Map([...files].map(([file, text]) => [file, importsOf(file, text).map(({ target }) => target)]));
  expect(circlesOf(graph)).toEqual([]);
});

test('importsOf sees each form of import, and refuses a computed one', () => {
  const text = [
    "import type { A } from './a.ts';",
    'import {',
    '  b,',
    "} from '../b.ts';",
    "import 'reflect-metadata';",
    "export { c } from './c.ts';",
    "const { d } = await import('./d.ts');",
    "type E = import('./e.ts').E;",
    'const text = "import { no } from \'./no.ts\'";',
  ].join('\n');
  expect(importsOf('src/room/x.ts', text)).toEqual([
    { line: 1, target: 'src/room/a.ts', isOfTypes: true },
    { line: 2, target: 'src/b.ts' },
    { line: 5, target: 'reflect-metadata' },
    { line: 6, target: 'src/room/c.ts' },
    { line: 7, target: 'src/room/d.ts' },
    { line: 8, target: 'src/room/e.ts' },
  ]);
  expect(() => importsOf('src/x.ts', 'await import(name)')).toThrow('src/x.ts:1: an import whose name is computed');
});

test('circlesOf finds each circle once, and none where there is none', () => {
  const graph = (edges: string): Map<string, string[]> =>
    new Map(edges.split(' ').map((edge) => [edge[0] ?? '', [...edge.slice(1)]]));
  expect(circlesOf(graph('abc bc c'))).toEqual([]);
  expect(circlesOf(graph('ab bc ca de ed fa'))).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});
