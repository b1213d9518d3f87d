import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settle } from './flags.ts';
import { readLists } from './list-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lists-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const path = join(folder, 'list');
  await writeFile(path, text);
  const { settings, problems } = await readLists(settle({ 'mesh-service-exclude-cidr': `@${path}` }, {}));
  return {
    text: settings['mesh-service-exclude-cidr'].text,
    problems: problems.map((line) => line.replace(path, 'F')),
  };
}

describe('readLists', () => {
  test.each([
    ['10.0.0.0/8\n10.1.0.0/16\r\n', '10.0.0.0/8,10.1.0.0/16'],
    ['# networks\n10.0.0.0/8, fd00::/8 # both\n\n,\n', '10.0.0.0/8,fd00::/8'],
    ['*', '*'],
  ])('reads %j', async (text, list) => {
    expect(await read(text)).toEqual({ text: list, problems: [] });
  });

  test.each(['', '# none\n'])('refuses a file that lists nothing: %j', async (text) => {
    expect((await read(text)).problems).toEqual([
      '--mesh-service-exclude-cidr: "F" lists nothing, expected items between commas, blanks or lines',
    ]);
  });

  test('refuses what is no file, by flag or variable', async () => {
    const { problems } = await readLists(
      settle({ 'proxy-uid': '@/dev/null' }, { MESH_INBOUND_PORTS: `@${folder}/none` }),
    );
    expect([...problems].sort()).toEqual([
      '--proxy-uid: "/dev/null" is no regular file',
      `MESH_INBOUND_PORTS: cannot read "${folder}/none" (ENOENT)`,
    ]);
  });

  test('leaves lists that are given as they are, and names the file of the others', async () => {
    await writeFile(join(folder, 'ports'), '80');
    const { settings } = await readLists(
      settle({ 'mesh-inbound-ports': '*', 'mesh-outbound-ports': `@${folder}/ports` }, {}),
    );
    expect(settings['mesh-inbound-ports']).toEqual({ source: '--mesh-inbound-ports', text: '*' });
    expect(settings['mesh-outbound-ports']).toEqual({ source: `--mesh-outbound-ports @${folder}/ports`, text: '80' });
  });
});
