import { globalsOf, importsOf } from './imports.ts';

/** Which rooms each room may import, and which rooms and files may reach the world, and use what Node alone has. */
export interface RoomTable {
  readonly rooms: ReadonlyMap<string, ReadonlySet<string>>;
  readonly world: readonly string[];
}

/** Packages that reach the world. */
const reaching: ReadonlySet<string> = new Set(['@grpc/grpc-js', 'execa']);

/** Reads `name: names`, one a line; `#` begins a line for the reader. */
export function readTable(text: string): RoomTable {
  const rooms = new Map<string, ReadonlySet<string>>();
  const world: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', rest = ''] = /^([a-z/-]+):(.*)$/.exec(line) ?? [];
    const names = rest.split(' ').filter(Boolean);
    if (name === '' || rooms.has(name)) throw new Error(`the table of rooms: "${line}" names no room, or one again`);
    if (name === 'world') world.push(...names);
    else rooms.set(name, new Set(names));
  }
  return { rooms, world };
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
  const globals = reachesWorld(table, room, file) ? [] : globalsOf(text);
  const refused = globals.map(({ line, target }) => `${file}:${line}: ${room} may not use ${target}`);
  const imports = importsOf(file, text).flatMap(({ line, target }) => {
    const imported = importedName(table, target);
    if (imported === undefined || imported === room) return [];
    if (imported === 'world' ? reachesWorld(table, room, file) : table.rooms.get(room)?.has(imported)) return [];
    return [`${file}:${line}: ${room} may not import ${imported === 'world' ? target : imported}`];
  });
  return [...refused, ...imports];
}

/** The name that the table has for what is imported; undefined for what every room may import. */
export function importedName(table: RoomTable, target: string): string | undefined {
  if (target.startsWith('node:')) return 'world';
  if (target.startsWith('src/')) return roomOf(table, target) ?? target;
  return reaching.has(target) ? 'world' : undefined;
}

function reachesWorld({ world }: RoomTable, room: string, file: string): boolean {
  return world.includes(room) || world.includes(file.slice('src/'.length));
}
