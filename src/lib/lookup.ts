/**
 * What a table has under a name that comes from a user; undefined for `constructor` and the other names that every object
 * of JavaScript has without anybody having put them there.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
