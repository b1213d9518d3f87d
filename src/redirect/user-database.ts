import { type Complain, parseWhole, splitList } from './parse-list.ts';

/** Ids by name, as /etc/passwd and /etc/group hold them. */
export interface UserDatabase {
  readonly users: ReadonlyMap<string, { readonly uid: number; readonly gid: number }>;
  readonly groups: ReadonlyMap<string, number>;
}

/** Owners whose packets are the proxy's own. */
export interface ProxyOwners {
  readonly uids: readonly number[];
  readonly gids: readonly number[];
}

const usualUser = 'mesh-proxy';

/** Id of the proxy where nothing else is said and the database does not know its user. */
const usualId = 1337;

/** The largest id but one: the largest means "none" (chown(2)). */
const largestId = 4294967294;

/** The databases' text form (passwd(5), group(5)); lines that are not in it are left out. */
export function parseUserDatabase(passwd: string, group: string): UserDatabase {
  const fields = (text: string): string[][] => text.split('\n').map((line) => line.split(':'));
  const ids = (...texts: (string | undefined)[]): number[] => texts.map((text) => Number(text || Number.NaN));
  return {
    users: new Map(
      fields(passwd).flatMap(([name = '', , uidText, gidText]) => {
        const [uid = 0, gid = 0] = ids(uidText, gidText);
        return Number.isInteger(uid) && Number.isInteger(gid) ? [[name, { uid, gid }] as const] : [];
      }),
    ),
    groups: new Map(
      fields(group).flatMap(([name = '', , gidText]) => {
        const [gid = 0] = ids(gidText);
        return Number.isInteger(gid) ? [[name, gid] as const] : [];
      }),
    ),
  };
}

/**
 * The owners that flags and PROXY_USER name. Root is not among them unless it is named: whoever runs as root would
 * bypass the proxy.
 */
export function proxyOwners(
  uidText: string,
  gidText: string,
  proxyUser: string | undefined,
  database: UserDatabase,
  complain: (flag: 'proxy-uid' | 'proxy-gid' | 'PROXY_USER') => Complain,
): ProxyOwners {
  const uids = parseIds(uidText, (name) => database.users.get(name)?.uid, complain('proxy-uid'), 'user');
  const gids = parseIds(gidText, (name) => database.groups.get(name), complain('proxy-gid'), 'group');
  if (uids.length > 0) return { uids, gids: gids.length > 0 ? gids : uids };
  const user = userOf(proxyUser, database, complain('PROXY_USER'));
  return { uids: [user.uid], gids: gids.length > 0 ? gids : [user.gid] };
}

function userOf(
  proxyUser: string | undefined,
  { users }: UserDatabase,
  complain: Complain,
): { readonly uid: number; readonly gid: number } {
  const isNamed = proxyUser !== undefined && proxyUser !== '';
  const user = users.get(isNamed ? proxyUser : usualUser);
  if (user === undefined && isNamed) complain(`there is no user "${proxyUser}" in /etc/passwd`);
  return user ?? { uid: usualId, gid: usualId };
}

function parseIds(
  text: string,
  lookUp: (name: string) => number | undefined,
  complain: Complain,
  kind: 'user' | 'group',
): number[] {
  const ids = splitList(text).flatMap((item) => {
    const id = /^\d+$/.test(item) ? parseWhole(item, 0, largestId) : lookUp(item);
    if (id === undefined) complain(unknownOwner(item, kind));
    return id ?? [];
  });
  return [...new Set(ids)];
}

function unknownOwner(item: string, kind: 'user' | 'group'): string {
  if (/^\d+$/.test(item)) return `"${item}" is no id, expected 0 to ${largestId}`;
  return `there is no ${kind} "${item}" in /etc/${kind === 'user' ? 'passwd' : 'group'}, name an id`;
}
