import { createHash } from 'node:crypto';
import { isObject } from './members.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a compiled file says, without what follows from the rest of it: the version of a list of resources. */
export function contentOf(path: string, file: string): unknown {
  const value: Fields = JSON.parse(file);
  if (path.endsWith('origins.json')) return mapLists(value, byPath);
  const { version_info: _, ...rest } = value;
  return rest;
}

/** The file of what `contentOf` gave. */
export function textOf(path: string, content: unknown): string {
  if (!isObject(content)) throw new Error(`${path} holds no object`);
  const value = path.endsWith('origins.json') ? mapLists(content, withPath) : withVersion(content);
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Origins lie in lists, by the kind and the name of the resource; what else is there, the format, has no such lists. */
function mapLists(origins: Fields, map: (list: unknown) => unknown): Fields {
  const mapFields = (fields: Fields, each: (field: unknown) => unknown): Fields =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, each(field)]));
  return mapFields(origins, (kind) => (isObject(kind) ? mapFields(kind, map) : kind));
}

/** Each origin under its path, so that places with the same origin are seen to have the same. */
function byPath(list: unknown): Fields {
  return Object.fromEntries((list as readonly Fields[]).map(({ path, ...origin }) => [path, origin]));
}

function withPath(origins: unknown): readonly Fields[] {
  return Object.entries(origins as Fields).map(([path, origin]) => ({ path, ...(origin as Fields) }));
}

/** The version is the hash of the hashes of the resources. */
function withVersion(content: Fields): Fields {
  if (!Array.isArray(content.resources)) return content;
  const whole = createHash('sha256');
  for (const resource of content.resources) {
    whole.update(
      createHash('sha256')
        .update(JSON.stringify(resource, null, 2))
        .digest('hex'),
    );
  }
  return { version_info: whole.digest('hex').slice(0, 16), ...content };
}
