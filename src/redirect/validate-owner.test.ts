import { describe, expect, test } from 'vitest';
import { type PacketOwner, probeOwner } from './validate-owner.ts';

const ids = { uids: [1337, 0], gids: [1338] };

describe('probeOwner', () => {
  test.each<[string, PacketOwner, PacketOwner | undefined]>([
    ['root becomes the first ids', { uid: 0, gid: 0 }, { uid: 1337, gid: 1338 }],
    ['the proxy stays', { uid: 1337, gid: 5 }, { uid: 1337, gid: 5 }],
    ["a member of the proxy's group stays", { uid: 1000, gid: 1338 }, { uid: 1000, gid: 1338 }],
    ['anybody else cannot probe', { uid: 1000, gid: 1000 }, undefined],
  ])('%s', (_, current, owner) => {
    expect(probeOwner(ids, current)).toEqual(owner);
  });

  test('root keeps its group when the rules name no group', () => {
    expect(probeOwner({ uids: [1337], gids: [] }, { uid: 0, gid: 0 })).toEqual({ uid: 1337, gid: 0 });
  });
});
