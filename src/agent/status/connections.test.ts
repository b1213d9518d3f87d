import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Connections, callerOf, thisPod } from './connections.ts';

describe('callerOf', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', thisPod],
    ['::1', '::1', thisPod],
    ['::ffff:127.0.0.6', '::ffff:127.0.0.1', '127.0.0.6'],
    ['::ffff:10.1.2.3', '::ffff:10.9.9.9', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8::1', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8::1', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80::2', 'fe80:0:0:0'],
    [undefined, undefined, ''],
  ])('takes %s at %s for "%s"', (remoteAddress, localAddress, caller) => {
    expect(callerOf({ remoteAddress, localAddress })).toBe(caller);
  });
});

describe('Connections', () => {
  const from = (remoteAddress: string) =>
    Object.assign(new PassThrough(), { remoteAddress, localAddress: '127.0.0.1' });
  const isOpen = ({ destroyed }: PassThrough): boolean => !destroyed;

  test.each<[string, (i: number) => string, number]>([
    ['one address', () => '10.0.0.1', 32],
    ['many addresses', (i) => `10.0.0.${i}`, 96],
    ['this pod', () => '127.0.0.1', 96],
  ])('keeps the newest of %s, and nobody else gives way', (_name, address, kept) => {
    const connections = new Connections();
    const others = [from('10.9.9.9'), from('127.0.0.2')].filter(({ remoteAddress }) =>
      address(0).startsWith('127.') ? remoteAddress !== '127.0.0.2' : kept === 32 || remoteAddress !== '10.9.9.9',
    );
    const made = Array.from({ length: 200 }, (_, i) => from(address(i)));
    for (const connection of [...others, ...made]) connections.watch(connection);
    expect(made.map(isOpen)).toEqual(made.map((_, i) => i >= made.length - kept));
    expect(others.every(isOpen)).toBe(true);
    connections.closeAll();
    expect([...others, ...made].some(isOpen)).toBe(false);
  });

  test('closes the newest where all others of an address are being answered', () => {
    const connections = new Connections();
    const made = Array.from({ length: 33 }, () => from('10.0.0.1'));
    for (const connection of made) {
      connections.watch(connection);
      connections.begin(connection);
    }
    expect(made.map(isOpen)).toEqual(made.map((_, i) => i < 32));
    connections.closeAll();
  });
});
