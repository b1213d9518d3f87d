import { globalsOf, importsOf } from './imports.ts';

/**
 * Which rooms each room may import, and which rooms and files may reach the world, and use what Node alone has; but for
 * the files that are `pure`, which run in a browser as the other rooms do.
 */
export interface RoomTable {
  readonly rooms: ReadonlyMap<string, ReadonlySet<string>>;
  readonly world: readonly string[];
  readonly pure: readonly string[];
}

/** Packages that reach the world. */
const reaching: ReadonlySet<string> = new Set(['@grpc/grpc-js', 'execa']);

/** Reads `name: names`, one a line; `#` begins a line for the reader. */
export function readTable(text: string): RoomTable {
  const rooms = new Map<string, ReadonlySet<string>>();
  const lists: Readonly<Record<string, string[]>> = { world: [], pure: [] };
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', rest = ''] = /^([a-z/-]+):(.*)$/.exec(line) ?? [];
    const names = rest.split(' ').filter(Boolean);
    if (name === '' || rooms.has(name)) throw new Error(`the table of rooms: "${line}" names no room, or one again`);
    const list = lists[name];
    if (list !== undefined) list.push(...names);
    else rooms.set(name, new Set(names));
  }
  const { world = [], pure = [] } = lists;
  return { rooms, world, pure };
}

/** The room of a file: the longest name of the table that leads to it; undefined where none does. */
export function roomOf({ rooms }: RoomTable, file: string): string | undefined {
  const leading = [...rooms.keys()].filter((name) => file.startsWith(`src/${name}/`));
  return leading.sort((a, b) => b.length - a.length)[0];
}

/** What the table refuses of a file's imports, a line each. */
export function refusalsOf(table: RoomTable, file: string, text: string): readonly string[] {
  const room = roomOf(table, file);
  if (room === undefined) return [`${file}: no room of the table holds it`];
  const isOfWorld = reachesWorld(table, file);
  const globals = isOfWorld ? [] : globalsOf(text);
  const refused = globals.map(({ line, target }) => `${file}:${line}: ${room} may not use ${target}`);
  const imports = importsOf(file, text).flatMap(({ line, target, isOfTypes }) => {
    const imported = importedName(table, target);
    if (imported === undefined) return [];
    if (imported === 'world') return isOfWorld ? [] : [`${file}:${line}: ${room} may not import ${target}`];
    if (imported !== room && !table.rooms.get(room)?.has(imported)) {
      return [`${file}:${line}: ${room} may not import ${imported}`];
    }
    if (isOfWorld || isOfTypes || !reachesWorld(table, target)) return [];
    return [`${file}:${line}: runs in a browser, and may not import ${target}, which does not`];
  });
  return [...refused, ...imports];
}

/** The name that the table has for what is imported; undefined for what every room may import. */
export function importedName(table: RoomTable, target: string): string | undefined {
  if (target.startsWith('node:')) return 'world';
  if (target.startsWith('src/')) return roomOf(table, target) ?? target;
  return reaching.has(target) ? 'world' : undefined;
}

function reachesWorld(table: RoomTable, file: string): boolean {
  const path = file.slice('src/'.length);
  if (table.pure.includes(path)) return false;
  return table.world.includes(roomOf(table, file) ?? '') || table.world.includes(path);
}
