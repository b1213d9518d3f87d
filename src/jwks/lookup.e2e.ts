import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Packet } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerTo, type DnsDouble, type Reply, silent, startDouble } from '../dns/testing/dns-double.ts';
import { createLookup } from './lookup.ts';
import type { Lookup } from './target.ts';

let folder: string;
let dns: DnsDouble;
let lookup: Lookup;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lookup-'));
  await writeFile(
    join(folder, 'hosts'),
    '127.0.0.1 localhost\n10.0.0.9 Keys.Test k # 10.0.0.8 other\nfd00::9 keys.test\n',
  );
  await writeFile(join(folder, 'resolv.conf'), 'nameserver 192.0.2.1\nsearch a.test b.test\noptions edns0 ndots:2\n');
  dns = await startDouble(zone);
  lookup = createLookup({
    hostsFile: join(folder, 'hosts'),
    resolvConf: join(folder, 'resolv.conf'),
    servers: [`127.0.0.1:${dns.port}`],
  });
});
afterEach(async () => {
  await dns.close();
  await rm(folder, { recursive: true });
});

const never = new AbortController().signal;

const records: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'both.example.org': { A: '192.0.2.7', AAAA: '2001:db8::7' },
  'four.b.test': { A: '192.0.2.8' },
};

/** Knows the records and says of all other names that there are none. */
function zone(query: Packet, send: (message: Buffer) => void): void {
  const [{ name = '', type = '' } = {}] = query.questions ?? [];
  const known = records[name];
  const data = known?.[type];
  const answers = data === undefined ? [] : [{ type: type as 'A', name, ttl: 30, data }];
  send(answerTo(query, { answers, flags: known === undefined ? 3 : 0 }));
}

describe('createLookup', () => {
  test('asks nobody for a name of the file of hosts', async () => {
    expect(await lookup('KEYS.test', never)).toEqual(['10.0.0.9', 'fd00::9']);
    expect(await lookup('k', never)).toEqual(['10.0.0.9']);
    expect(dns.heard).toEqual([]);
  });

  test('finds the addresses of both families', async () => {
    expect([...(await lookup('both.example.org', never))].sort()).toEqual(['192.0.2.7', '2001:db8::7']);
  });

  test('tries the search domains first for a name with few dots', async () => {
    expect(await lookup('four', never)).toEqual(['192.0.2.8']);
    expect([...new Set(dns.heard)]).toEqual(['udp four.a.test', 'udp four.b.test']);
  });

  test('finds nothing for a name that nobody has, after every way to write it', async () => {
    expect(await lookup('none', never)).toEqual([]);
    expect([...new Set(dns.heard)]).toEqual(['udp none.a.test', 'udp none.b.test', 'udp none']);
  });

  test('rejects when a server does not want to say', async () => {
    dns.reply = (query, send) => send(answerTo(query, { flags: 2 }));
    await expect(lookup('both.example.org', never)).rejects.toThrow('ESERVFAIL');
  });

  test('reads files while servers are silent, and ends with its signal', async () => {
    dns.reply = silent satisfies Reply;
    const stop = new AbortController();
    const silentOnes = Array.from({ length: 24 }, (_, i) => lookup(`issuer-${i}.example.org`, stop.signal));
    const first = Promise.race(silentOnes.map((it) => it.catch(() => 'a name')));
    expect(await Promise.race([first, readFile(join(folder, 'hosts')).then(() => 'a file')])).toBe('a file');
    stop.abort();
    const ends = await Promise.allSettled(silentOnes);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});
