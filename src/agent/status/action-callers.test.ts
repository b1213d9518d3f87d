import { describe, expect, test } from 'vitest';
import { createLog } from '../log/log.ts';
import { actionCallers } from './action-callers.ts';
import type { SocketOwner } from './socket-owner.ts';

const envoy = 70;
const proxyUser = 1337;

/** Envoy as two processes of the proxy's user, of which the second has socket 5. */
function refusal(owner: SocketOwner | Error, pid: number | undefined = envoy) {
  const lines: string[] = [];
  const log = createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) });
  const refusalOf = actionCallers(() => pid, log, {
    ownerOf: () => (owner instanceof Error ? Promise.reject(owner) : Promise.resolve(owner)),
    groupOf: async (leader) => [leader, leader + 1].map((member) => ({ pid: member, uid: proxyUser })),
    holdsSocket: async (member, name) => member === envoy + 1 && name === 'socket:[5]',
  });
  return { refusalOf, lines };
}

describe('actionCallers', () => {
  test.each<[string, SocketOwner | Error, RegExp | undefined]>([
    ["of Envoy's own socket is refused", { isKnown: true, uid: proxyUser, name: 'socket:[5]' }, /comes from Envoy/],
    ["of another socket of Envoy's user is taken", { isKnown: true, uid: proxyUser, name: 'socket:[6]' }, undefined],
    ['of a socket of another user is taken', { isKnown: true, uid: 0, name: 'socket:[5]' }, undefined],
    [
      'of a connection that its other end has closed is refused',
      { isKnown: false, why: 'closed' },
      /closed at its other end/,
    ],
    ['on a machine without tables of sockets is taken', { isKnown: false, why: 'no-table' }, undefined],
    [
      'of an owner that cannot be looked up now is refused',
      Object.assign(new Error('x'), { code: 'EMFILE' }),
      /cannot be seen \(EMFILE\)/,
    ],
  ])('the call %s', async (_name, owner, expected) => {
    const { refusalOf } = refusal(owner);
    const reason = await refusalOf({});
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toMatch(expected);
  });

  test('the call of a connection that Envoy closes while its descriptors are looked through is refused', async () => {
    const answers: SocketOwner[] = [
      { isKnown: true, uid: proxyUser, name: 'socket:[5]' },
      { isKnown: false, why: 'closed' },
    ];
    const refusalOf = actionCallers(() => envoy, createLog({ isJson: false, level: 'info', write: () => undefined }), {
      ownerOf: async () => answers.shift() ?? { isKnown: false, why: 'closed' },
      groupOf: async (leader) => [{ pid: leader, uid: proxyUser }],
      holdsSocket: async () => false,
    });
    expect(await refusalOf({})).toMatch(/closed at its other end/);
  });

  test('every call over an open connection is taken while no Envoy runs', async () => {
    const { refusalOf } = refusal({ isKnown: true, uid: proxyUser, name: 'socket:[5]' });
    const idle = actionCallers(() => undefined, createLog({ isJson: false, level: 'info', write: () => undefined }), {
      ownerOf: async () => ({ isKnown: true, uid: proxyUser, name: 'socket:[5]' }),
      groupOf: async () => [],
      holdsSocket: async () => true,
    });
    expect(await idle({})).toBeUndefined();
    expect(await refusalOf({})).toBeDefined();
  });

  test('a machine without tables of sockets is warned of once', async () => {
    const { refusalOf, lines } = refusal({ isKnown: false, why: 'no-table' });
    await refusalOf({});
    await refusalOf({});
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('without /proc/net/tcp');
  });
});
