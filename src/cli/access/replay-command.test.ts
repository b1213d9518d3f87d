import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { logOf, replayBench } from './testing/replay-bench.ts';
import { delivered, denied, gets, mesh, policy } from './testing/replayed-shop.ts';

describe('meshpol replay', () => {
  const { write, replay, verdictOf, folder } = replayBench();

  test('finds the same, the changed, and what is not reproduced', async () => {
    const lines = [delivered, delivered, { ...denied, method: 'POST' }, { ...delivered, method: 'PUT' }];
    const { code, report } = await replay(policy(gets), policy('  - to: [{operation: {methods: [POST]}}]'), lines);
    expect(code).toBe(0);
    expect(report.counts).toEqual({ same: 0, changed: 3, 'may change': 0, miss: 1, 'not placed': 0, 'not read': 0 });
    expect(report.groups.map(({ verdict, lines: count }) => [verdict, count])).toEqual([
      ['changed', 2],
      ['changed', 1],
      ['miss', 1],
    ]);
    expect(report.groups[0]).toMatchObject({
      before: { outcome: 'reaches', target: 'shop/cart' },
      after: { outcome: 'answered', status: 403 },
      clients: [{ client: 'spiffe://cluster.local/ns/shop/sa/web', lines: 2 }],
    });
    expect(report.groups[1]?.decidedBy).toMatchObject({
      ...{ version: 'new', workload: 'shop/cart', rule: 'ns[shop]-policy[cart]-rule[0]' },
      objects: [{ kind: 'AuthorizationPolicy', name: 'cart' }],
    });
  });

  test('says of a line that is not reproduced what the old inputs answer on a connection that is taken', async () => {
    const { report } = await replay(policy(gets), policy(gets), [{ ...delivered, method: 'get' }]);
    expect(report.counts?.miss).toBe(1);
    expect(report.groups[0]?.before).toMatchObject({ outcome: 'answered', status: 400 });
  });

  test('judges a certificate with several names by each of them', async () => {
    const everyone = '  - {}';
    const evil = policy('  - from: [{source: {serviceAccounts: [evil]}}]', 'DENY', 'evil');
    const names = ['web', 'evil'].map((name) => `spiffe://cluster.local/ns/shop/sa/${name}`).join(',');
    const line = { ...delivered, downstream_peer_uri_san: names };
    expect(await verdictOf(policy(everyone), `${policy(everyone)}---\n${evil}`, line)).toBe('changed');
  });

  test('calls the same what is the same for every value that the log lacks', async () => {
    const admin = "\n  - when: [{key: 'request.headers[x-admin]', values: ['yes']}]";
    expect(await verdictOf(policy(gets), policy(`${gets}${admin}`), delivered)).toBe('same');
    expect(await verdictOf(policy(gets + admin), policy(`${gets}${admin}\n${gets}`), delivered)).toBe('same');
  });

  test.each<[string, string, object, string]>([
    ['a header', "  - when: [{key: 'request.headers[x-team]', values: ['a']}]", delivered, 'x-team'],
    ['a claim', "  - when: [{key: 'request.auth.claims[group]', values: ['a']}]", delivered, 'claim'],
    [
      'the direct address behind forwarding headers',
      '  - from: [{source: {ipBlocks: [10.0.0.0/8]}}]',
      { ...delivered, x_forwarded_for: '192.0.2.1', downstream_remote_address: '192.0.2.1:0' },
      '%DOWNSTREAM_DIRECT_REMOTE_ADDRESS%',
    ],
  ])('says which attribute the log lacks: %s', async (_, rules, line, named) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
    const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: a, jwks: '${keys}'}]}
---
`;
    const { report, error } = await replay(tokens + policy(gets), tokens + policy(rules), [line]);
    expect(error).toBe('');
    expect(report.counts).toMatchObject({ 'may change': 1 });
    expect(report.groups[0]?.lacks?.join()).toContain(named);
  });

  test('knows what the logged answer tells of values that the log lacks', async () => {
    const team = "  - when: [{key: 'request.headers[x-team]', values: ['a']}]";
    // Only the header can have let it pass, so that it passes still where the header is enough.
    expect(await verdictOf(policy(team), policy(`${team}\n    to: [{operation: {methods: [GET]}}]`), delivered)).toBe(
      'same',
    );
    const posts = '  - to: [{operation: {methods: [POST]}}]';
    expect(await verdictOf(policy(team), policy(`${team}\n    to: [{operation: {methods: [POST]}}]`), delivered)).toBe(
      'changed',
    );
    expect(await verdictOf(policy(team), policy(`${posts}\n${team}`), denied)).toBe('same');
    expect(await verdictOf(policy(posts), policy(`${posts}\n${team}`), denied)).toBe('may change');
  });

  test('compares connections without mutual TLS with what STRICT makes of them', async () => {
    const plain = { ...delivered, requested_server_name: null, downstream_peer_uri_san: null };
    const strict = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;
    expect(await verdictOf('', strict, plain)).toBe('changed');
    expect(await verdictOf('', strict, delivered)).toBe('same');
  });

  test("follows a client's line to its server", async () => {
    const line = {
      ...delivered,
      ...{ downstream_local_address: '10.96.0.1:80', upstream_cluster: 'outbound|80||cart.shop.svc.cluster.local' },
      ...{ requested_server_name: null, downstream_peer_uri_san: null },
    };
    expect(await verdictOf(policy(gets), policy(gets), line)).toBe('same');
    expect(await verdictOf(policy(gets), policy('  - to: [{operation: {methods: [POST]}}]'), line)).toBe('changed');
  });

  test('takes --proxy where addresses are not those of the inputs', async () => {
    const line = { ...delivered, downstream_local_address: '10.9.9.9:8080', upstream_host: '10.9.9.9:8080' };
    const away = policy('  - to: [{operation: {paths: [/x]}}]');
    const without = await replay(policy(gets), away, [line]);
    expect(without.report.counts).toMatchObject({ 'not placed': 1 });
    const { report } = await replay(policy(gets), away, [line], '--proxy', 'shop/cart');
    expect(report.counts).toMatchObject({ changed: 1 });
    const other = await replay(policy(gets), away, [delivered], '--proxy', 'shop/web');
    expect(other.report.notCompared[0]?.why).toContain('the proxy of shop/cart wrote the line');
  });

  test('survives gzip, foreign lines, long lines, and a last line that is torn', async () => {
    const whole = logOf([delivered, delivered]);
    const log = `${whole}hello\n${'x'.repeat(2 << 20)}\n\n${JSON.stringify(delivered).slice(0, -9)}`;
    const { report } = await replay(policy(gets), policy(gets), log);
    expect(report.counts).toMatchObject({ same: 2, 'not read': 3 });
    expect(report.notCompared.map(({ why }) => why).sort()).toEqual([
      'the line has none of the known formats: that of accessLogFormat of the mesh configuration, if it has one, or the default one, as text or JSON',
      'the line is longer than 1 MiB',
      'the log ends within the line',
    ]);
    const packed = gzipSync(whole);
    const path = write('access.log.gz', Buffer.concat([packed, packed]));
    const more = await replay(policy(gets), policy(gets), whole, '--log', path);
    expect(more.report.counts).toMatchObject({ same: 6 });
    const cut = write('cut.gz', packed.subarray(0, packed.length - 12));
    const torn = await replay(policy(gets), policy(gets), whole, '--log', cut);
    expect(torn.report.counts.same).toBeGreaterThanOrEqual(2);
    expect(torn.report.notCompared.map(({ why }) => why)).toEqual([
      'the compressed log ends too early: this line and all after it are missing',
    ]);
    expect(torn.code).toBe(0);
  });

  test('reads standard input, prints lines with --verbose, and fails as --fail-on says', async () => {
    const old = write('old.yaml', `${mesh}${policy(gets)}`);
    const next = write('new.yaml', `${mesh}${policy('  - to: [{operation: {methods: [POST]}}]')}`);
    const words = ['replay', next, '--old', old, '--log', '-', '--fail-on', 'changed'];
    const forged = { ...delivered, path: '/\u001b[2J\u202e|<img src=x>[a](b)@team' };
    const text = await run([...words, '--verbose'], logOf([delivered]));
    expect(text.code).toBe(1);
    expect(text.out).toMatch(/^-:1: changed: reaches shop\/cart → 403 rbac_access_denied_matched_policy\[none\]\n/);
    expect(text.out).toContain('\n1 line: 0 same, 1 changed\n');
    expect(text.out).toContain('  decided by AuthorizationPolicy shop/cart');
    const markdown = await run([...words, '--format', 'markdown'], logOf([delivered, forged]));
    expect(markdown.out).toMatch(/^\*\*meshpol replay: 2 lines: 0 same, 1 changed, 1 may change\*\*\n\n\| verdict/);
    expect(markdown.out).not.toContain('\u001b');
    expect(markdown.out).not.toMatch(/\u202e|<img|\]\(|@team/);
    const same = await run(['replay', old, '--old', old, '--log', '-', '--fail-on', 'may-change'], logOf([delivered]));
    expect([same.code, same.out]).toEqual([0, '1 line: 1 same, 0 changed\n']);
    const miss = await run(['replay', old, '--old', old, '--log', '-', '--fail-on', 'may-change'], logOf([denied]));
    expect(miss.code).toBe(1);
  });

  test('compares with a revision of git', async () => {
    const repository = join(folder(), 'repository');
    write('repository/mesh/all.yaml', `${mesh}${policy(gets)}`);
    const git = (...words: string[]) => {
      const settings = ['-c', 'user.name=a', '-c', 'user.email=a@b.example', '-c', 'commit.gpgsign=false'];
      execFileSync('git', ['-C', repository, ...settings, ...words]);
    };
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    write('repository/mesh/all.yaml', `${mesh}${policy('  - to: [{operation: {methods: [POST]}}]')}`);
    const words = ['replay', join(repository, 'mesh'), '--log', '-', '--changed-since'];
    const { code, out, error } = await run([...words, 'HEAD'], logOf([delivered]));
    expect([code, error]).toEqual([0, '']);
    expect(out).toContain('\n1 line: 0 same, 1 changed\n');
    expect(await run([...words, 'other'], logOf([delivered]))).toMatchObject({
      ...{ code: 2, error: expect.stringContaining('--changed-since: git knows no revision "other"') },
    });
  });

  test('prints for the example of the guide what the guide shows', async () => {
    const page = readFileSync('docs/guides/try-a-policy.md', 'utf8');
    const command = /^meshpol (replay .* --old .*)$/m.exec(page)?.[1] ?? '';
    const words = command
      .split(' ')
      .map((word) => (/^(?:[a-z]+\.(?:log|yaml)|before|after)$/.test(word) ? `examples/replay/${word}` : word));
    const { code, out } = await run(words);
    expect(code).toBe(0);
    const shown = Array.from(page.matchAll(/^```text\n([\s\S]*?)^```$/gm), ([, text = '']) => text);
    expect(shown).toHaveLength(2);
    for (const text of shown) expect(out).toContain(text);
  });

  test.each<[readonly string[], string, number]>([
    [[], 'nothing to compare with: name the old inputs with --old', 2],
    [['--old', 'a', '--changed-since', 'HEAD'], 'exclude each other', 2],
    [['--old', '-', '--log', '-'], 'standard input can be read once', 2],
    [['--old', 'OLD', '--proxy', 'shop/other'], 'the input has no workload shop/other; it has', 2],
    [['--old', 'OLD', '--proxy', 'shop'], 'expected NAMESPACE/WORKLOAD', 2],
    [['--old', 'OLD', '--log', 'FOLDER'], 'it is a folder: name the files in it', 3],
    [['--old', 'OLD', '--log', 'absent.log'], 'cannot read the log "absent.log"', 3],
    [['--old', 'OLD'], 'there is no line to compare', 2],
    [['--old', 'OLD', '--log', 'FOREIGN'], 'no line of the logs could be compared', 2],
  ])('refuses %j', async (options, message, expected) => {
    const old = write('old.yaml', mesh);
    const empty = write('empty.log', '');
    const foreign = write('foreign.log', 'hello\n');
    const words = options.map((word) => ({ OLD: old, FOLDER: folder(), FOREIGN: foreign })[word] ?? word);
    const { code, error } = await run(['replay', old, '--log', empty, ...words]);
    expect([code, error]).toEqual([expected, expect.stringContaining(message)]);
  });
});
