import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MountPoints } from './mount-points.ts';

describe('MountPoints', () => {
  const points = new MountPoints(
    [
      '36 35 98:0 /mnt1 /mnt2/a.yaml rw,noatime master:1 - ext3 /dev/root rw,errors=continue',
      '37 35 0:44 /p /mnt2/with\\040space\\134.yaml ro,relatime shared:9 - nfs4 server:/p rw',
      '',
    ].join('\n'),
  );

  test.each<[folder: string, names: string[], found: string[]]>([
    ['/mnt2', ['a.yaml', 'b.yaml'], ['a.yaml']],
    ['/mnt2', ['with space\\.yaml', 'with'], ['with space\\.yaml']],
    ['/mnt1', ['a.yaml'], []],
  ])('are, in %s, of %j these: %j', async (folder, names, found) => {
    expect([...(await points.among(names, () => Promise.resolve(folder)))]).toEqual(found);
  });

  test('ask for the path of no folder in which nothing has the name of one', async () => {
    expect(await points.among(['b.yaml'], () => Promise.reject(new Error('asked')))).toEqual(new Set());
  });

  test('are recognized by their whole path', () => {
    expect(['/mnt2/a.yaml', '/mnt2', 'a.yaml'].map((path) => points.has(path))).toEqual([true, false, false]);
  });

  test.each([
    ['/mnt2/a.yaml', '98:0 /mnt1'],
    ['/mnt2/b.yaml', '98:0 /'],
    ['/mnt3/a/b', '98:0 /c d'],
    ['/mnt3', '98:0 /c d'],
    ['/mnt30', '98:0 /'],
  ])('name the file system, and the part of it, that %s is in', (path, part) => {
    const text = [
      '20 1 98:0 / / rw - ext3 /dev/root rw',
      '36 20 98:0 /mnt1 /mnt2/a.yaml rw - ext3 /dev/root rw',
      '37 20 0:44 / /mnt3 rw - tmpfs tmpfs rw',
      '38 37 98:0 /c\\040d /mnt3 rw - ext3 /dev/root rw',
    ];
    expect(new MountPoints(text.join('\n')).partAt(path)).toBe(part.replace(' d', '\\040d'));
    expect(new MountPoints().partAt(path)).toBe('');
  });

  test('of this machine have /proc among them', () => {
    expect(new MountPoints(readFileSync('/proc/self/mountinfo', 'utf8')).has('/proc')).toBe(true);
  });
});
