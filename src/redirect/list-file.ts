import { readFile, stat } from 'node:fs/promises';
import type { RedirectFlagName, RedirectSettings, Setting } from './flags.ts';

/** Flags that take lists. Linux bounds one argument at 128 KiB, which some 8,000 ranges fill. */
const listFlags = [
  'mesh-inbound-ports',
  'mesh-local-exclude-ports',
  'mesh-service-cidr',
  'mesh-service-exclude-cidr',
  'mesh-local-outbound-ports-exclude',
  'mesh-outbound-ports',
  'cluster-virt-interfaces',
  'proxy-uid',
  'proxy-gid',
] as const satisfies readonly RedirectFlagName[];

/** In bytes; far more than a packet filter takes. */
const largestFile = 16 << 20;

/** Settings with every `@FILE` replaced by what the file lists; what is wrong with a file, one line each. */
export async function readLists(
  settings: RedirectSettings,
): Promise<{ readonly settings: RedirectSettings; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const read = async (name: RedirectFlagName): Promise<readonly [string, Setting]> => {
    const { source, text } = settings[name];
    if (!text.startsWith('@')) return [name, settings[name]];
    const list = await readList(text.slice(1));
    if ('problem' in list) problems.push(`${source}: ${list.problem}`);
    return [name, { source: `${source} ${text}`, text: 'items' in list ? list.items : '' }];
  };
  const lists = await Promise.all(listFlags.map(read));
  return { settings: { ...settings, ...Object.fromEntries(lists) }, problems };
}

/** Items stand between commas, blanks or line ends; what follows a `#` in a line is a comment. */
async function readList(path: string): Promise<{ readonly items: string } | { readonly problem: string }> {
  let text: string;
  try {
    const file = await stat(path);
    // A pipe would be waited for, for ever.
    if (!file.isFile()) return { problem: `"${path}" is no regular file` };
    if (file.size > largestFile)
      return { problem: `"${path}" has ${file.size} bytes, expected at most ${largestFile}` };
    text = await readFile(path, 'utf8');
  } catch (error) {
    return { problem: `cannot read "${path}" (${(error as NodeJS.ErrnoException).code})` };
  }
  const items = text.replace(/#.*$/gm, '').split(/[\s,]+/);
  const list = items.filter((item) => item !== '').join();
  // A list that is meant to be empty is given by the flag; a file may have been emptied by mistake.
  return list === ''
    ? { problem: `"${path}" lists nothing, expected items between commas, blanks or lines` }
    : { items: list };
}
