import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogReader } from '../../access/replay/known-formats.ts';
import { type LoggedRequest, loggedRequest } from '../../access/replay/logged-request.ts';
import { http1Request } from '../../testbed/wire/http1.ts';
import { http2Request } from '../../testbed/wire/http2.ts';
import { eventually } from '../../testing/eventually.ts';
import { type InboundGates, startInboundGates } from './testing/inbound-gate.ts';

const encodings = ['TEXT', 'JSON'] as const;
const places = ['path', 'agent', 'authority'] as const;
type Place = (typeof places)[number];

/** One character a byte: what ends lines, fields and strings somewhere, and bytes that are no UTF-8. */
const texts = [
  ...['"', '\\', '\\"', '\\n', '%0d%0a', '\u0000', '\u0001', '\b', '\t', '\n', '\v', '\f', '\r', '\r\n', '\r\n '],
  ...['\u001b[2J', '\u007f', '\u0085', '\u009b', '\u00c2\u0085', '\u00e2\u0080\u00a8', '\u00c0\u008a', '\u00ff', "'"],
  ...['\n{"response_code":200,"path":"/forged"}', '","response_code":200,"user_agent":"', '%REQ(COOKIE)%', '<b>'],
];

function bytesOf(version: 1 | 2, place: Place, text: string, id: string): Buffer {
  const at = (name: Place, other: string): string => (name === place ? `${other}a${text}b` : other);
  const [path, agent, authority] = [at('path', '/'), at('agent', 'u'), at('authority', 'h')];
  const headers = [
    ['user-agent', agent],
    ['x-request-id', id],
  ] as const;
  if (version === 1) return http1Request({ target: path, headers: [['host', authority], ...headers] });
  const pseudo = [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', authority],
  ] as const;
  return http2Request([...pseudo, ...headers]);
}

/** Every combination, with a request id of its own. */
const requests = ([1, 2] as const).flatMap((version) =>
  places.flatMap((place) =>
    texts.map((text, i) => {
      const id = `${place}-${version}-${i}`;
      return { id, bytes: bytesOf(version, place, text, id) };
    }),
  ),
);

/** Control characters of ASCII. */
const hasControl = (line: string, allowed: string): boolean =>
  [...line].some((character) => (character < ' ' || character === '\u007f') && !allowed.includes(character));

describe('access logs', () => {
  let folder: string;
  let gates: InboundGates;
  const fileOf = (encoding: string): string => join(folder, `${encoding}.log`);
  const linesOf = async (encoding: string): Promise<string[]> =>
    (await readFile(fileOf(encoding), 'latin1')).split('\n').slice(0, -1);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'access-log-'));
    const settings = encodings.map(
      (accessLogEncoding) =>
        [accessLogEncoding, { accessLogEncoding, accessLogFile: fileOf(accessLogEncoding) }] as const,
    );
    gates = await startInboundGates({ TEXT: '', JSON: '' }, Object.fromEntries(settings));
  });
  afterAll(async () => {
    await gates?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends all, and gives the lines that came of it, once there are as many as requests. */
  const sendAll = async (encoding: string): Promise<string[]> => {
    const sockets = requests.map(({ bytes }) => {
      const socket = gates.connect(encoding).on('error', () => undefined);
      socket.resume().write(bytes);
      return socket;
    });
    // What starts the gates asks too.
    const own = async (): Promise<string[]> => (await linesOf(encoding)).filter((line) => !line.includes('httpbin.a'));
    await eventually(async () => expect((await own()).length).toBeGreaterThanOrEqual(requests.length));
    for (const socket of sockets) socket.destroy();
    return own();
  };

  // Sent once: a second time, lines of the first would end the wait, and a request that is cut off is logged otherwise.
  const sent = new Map<string, Promise<string[]>>();
  const linesOfAll = (encoding: string): Promise<string[]> => {
    const lines = sent.get(encoding) ?? sendAll(encoding);
    sent.set(encoding, lines);
    return lines;
  };

  test('as JSON are one object a request, whatever stands in path, user agent and authority', async () => {
    const lines = await linesOfAll('JSON');
    expect(lines).toHaveLength(requests.length);
    const entries = lines.map((line) => JSON.parse(Buffer.from(line, 'latin1').toString()) as Record<string, unknown>);
    const keys = Object.keys(entries[0] ?? {}).join();
    expect(keys).toContain('response_code');
    expect(new Set(entries.map((entry) => Object.keys(entry).join()))).toEqual(new Set([keys]));
    expect(entries.filter(({ path }) => path === '/forged')).toEqual([]);
    const quoted = entries.find(({ request_id }) => request_id === 'agent-2-0');
    expect(quoted).toMatchObject({ user_agent: 'ua"b', response_code: 200 });
    expect(lines.filter((line) => hasControl(line, ''))).toEqual([]);
  });

  test('as text are one line for each request, also with quotes in it', async () => {
    const lines = await linesOfAll('TEXT');
    expect(lines).toHaveLength(requests.length);
    expect(lines.filter((line) => !/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] "/.test(line))).toEqual([]);
    // A tab is a character of field values (RFC 9110 section 5.5).
    expect(lines.filter((line) => hasControl(line, '\t'))).toEqual([]);
    expect(lines.filter((line) => line.includes('"ua"b"'))).toHaveLength(2);
  });

  test('are read back: JSON lines all, text lines rightly or, where a value could be cut in two ways, not at all', async () => {
    const readAll = (encoding: (typeof encodings)[number], lines: readonly string[]) => {
      const reader = new LogReader({ accessLogEncoding: encoding, accessLogFormat: '' });
      const logged = lines.flatMap((line) => {
        const read = reader.read(line);
        if (encoding === 'JSON') expect(read).not.toHaveProperty('fault');
        return 'fault' in read ? [] : [loggedRequest(read.values)];
      });
      return new Map(logged.map((request) => [new Map(request.headers).get('x-request-id'), request] as const));
    };
    const json = readAll('JSON', await linesOfAll('JSON'));
    const known = requests.filter(({ id }) => json.has(id)).map(({ id }) => id);
    // Requests that the codec refuses have no headers.
    expect(known.length).toBeGreaterThan(50);
    const text = readAll('TEXT', await linesOfAll('TEXT'));
    const told = ({ method, path, authority, status, protocol, details }: LoggedRequest) =>
      JSON.stringify([method, path, authority, status, protocol, details]);
    const both = known.flatMap((id) => {
      const [a, b] = [json.get(id), text.get(id)];
      // The forms have bytes that are no ASCII, and control characters, each in its own way.
      return a === undefined || b === undefined || !/^[ -~]*$/.test(told(a) + told(b)) ? [] : [[told(a), told(b)]];
    });
    expect(both.length).toBeGreaterThan(20);
    expect(both.filter(([a, b]) => a !== b)).toEqual([]);
  });
});
