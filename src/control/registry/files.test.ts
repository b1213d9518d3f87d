import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { SourceMemory } from '../../live/source-memory.ts';
import { eventually } from '../../testing/eventually.ts';
import { FilesRegistry } from './files.ts';

describe('FilesRegistry', () => {
  let folder: string;
  let registry: FilesRegistry;
  /** By the clock, files were written so long ago. */
  let agoMs: number;
  let written = 0;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-'));
    await writeFile(join(folder, 'a.yaml'), 'kind: Service\n');
    agoMs = 10_000;
    registry = new FilesRegistry(folder, [], () => Date.now() + agoMs);
    await registry.look(new DiagnosticBag());
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    registry.close();
    await rm(folder, { recursive: true });
  });

  const look = async () => {
    const batch = await registry.look(new DiagnosticBag());
    return batch && [batch.files.length, batch.isUrgent, batch.isEndpoints];
  };

  test('gives nothing if nothing differs', async () => {
    expect(await look()).toBeUndefined();
  });

  test('looks again at a file that is being written, and takes it once it is still', async () => {
    let changes = 0;
    await registry.follow(() => {
      changes += 1;
    });
    // Nothing that is written now has been still for a while.
    agoMs = -60_000;
    await writeFile(join(folder, 'a.yaml'), 'kind: PeerAuthentication\n');
    await eventually(() => expect(changes).toBeGreaterThan(0));
    expect(await look()).toBeUndefined();
    const before = changes;
    await eventually(() => expect(changes).toBeGreaterThan(before));
    agoMs = 10_000;
    expect(await look()).toEqual([1, true, false]);
  });

  test('gives nothing of a moment at which a file is being written: a rule may have moved into it', async () => {
    const deny = 'kind: AuthorizationPolicy\n';
    await writeFile(join(folder, 'a.yaml'), deny);
    await writeFile(join(folder, 'b.yaml'), 'kind: Pod\n');
    expect(await look()).toEqual([2, true, false]);
    agoMs = -60_000;
    await appendFile(join(folder, 'b.yaml'), `---\n${deny}`);
    await rm(join(folder, 'a.yaml'));
    expect(await look()).toBeUndefined();
    agoMs = 10_000;
    const batch = await registry.look(new DiagnosticBag());
    expect(batch?.files.map(({ text }) => text)).toEqual([`kind: Pod\n---\n${deny}`]);
  });

  test('waits for as long again after a look that failed', async () => {
    await writeFile(join(folder, 'a.yaml'), 'kind: AuthorizationPolicy\n');
    expect(await look()).toBeDefined();
    agoMs = -60_000;
    await appendFile(join(folder, 'a.yaml'), '---\n');
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    expect(await look()).toBeUndefined();
    await rename(folder, `${folder}-away`);
    await expect(look()).rejects.toThrow();
    await rename(`${folder}-away`, folder);
    now.mockReturnValue(10_000);
    expect(await look()).toBeUndefined();
  });

  test('waits for no file without rules about access', async () => {
    agoMs = -60_000;
    await writeFile(join(folder, 'a.yaml'), 'kind: Pod\n');
    expect(await look()).toEqual([1, false, false]);
  });

  test('takes files that never come to rest as they are in the end, with what is wrong in them', async () => {
    await writeFile(join(folder, 'a.yaml'), 'kind: AuthorizationPolicy\n');
    expect(await look()).toBeDefined();
    agoMs = -60_000;
    const bag = new DiagnosticBag();
    await eventually(async () => {
      await writeFile(join(folder, 'a.yaml'), Buffer.from([0xff, 0xfe, bag.all.length, ++written % 256]));
      expect(await registry.look(bag)).toBeDefined();
    });
    expect(bag.hasErrors).toBe(true);
    expect(written).toBeGreaterThan(1);
  });

  test('treats a file that disappears between being found and being read as deleted', async () => {
    await writeFile(join(folder, 'b.yaml'), 'kind: Pod\n');
    const round = SourceMemory.prototype.round;
    vi.spyOn(SourceMemory.prototype, 'round').mockImplementationOnce(function (this: SourceMemory) {
      const made = round.call(this);
      return {
        ...made,
        read: async (path, read) => {
          if (path.endsWith('a.yaml')) await rm(path, { force: true });
          return made.read(path, read);
        },
      };
    });
    expect(await look()).toEqual([1, false, false]);
  });

  test('reports that files can be read again, also if they are unchanged', async () => {
    await rename(folder, `${folder}-away`);
    await expect(look()).rejects.toThrow(`cannot read "${folder}"`);
    await rename(`${folder}-away`, folder);
    expect(await look()).toEqual([1, false, false]);
    expect(await look()).toBeUndefined();
  });

  test.each([
    ['a service', 'kind: Service\n', false, false],
    ['a pod', '{"kind": "Pod"}', false, true],
    ['pods and a service', 'kind: Pod\n---\nkind: Service\n', false, false],
    ['a rule about access', 'kind: AuthorizationPolicy\n', true, false],
    ['a Secret, which may name the authorities of clients', 'kind: Secret\n', true, false],
    ['a rule about access that does not parse', '{{ kind: PeerAuthentication\n', true, false],
    ['a Gateway, which may say whom a policy is for', 'kind: "Gateway"\n', true, false],
    ['a Gateway with a tag', 'kind: !!str Gateway\n', true, false],
    ['a Gateway with an anchor', 'kind: &k Gateway\n', true, false],
    ['a Gateway on a line of its own', 'kind: >-\n  Gateway\n', true, false],
    ['letters by their numbers', 'kind: "\\u0041uthorizationPolicy"\n', true, false],
  ])('gives the kind of change of %s, when it is created and deleted', async (_name, text, isUrgent, isEndpoints) => {
    const path = join(folder, 'b.yaml');
    await writeFile(path, text);
    expect(await look()).toEqual([2, isUrgent, isEndpoints]);
    await rm(path);
    expect(await look()).toEqual([1, isUrgent, isEndpoints]);
  });
});
