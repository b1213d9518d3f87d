// What a script imports first: has it run again by the Node in `.tools/` where the one at hand is too old for it, and puts
// `.tools/bin` first in the path of whatever it starts.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endOnOlderNode, isOlder } from '../build/needed-node.mjs';

const root = new URL('../../', import.meta.url);
const tools = fileURLToPath(new URL('.tools/bin', root));
const node = `${tools}/node`;

const others = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== tools);
process.env.PATH = [tools, ...others].join(delimiter);

const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const needed = engines.node.replace('>=', '');
if (isOlder(process.versions.node, needed)) {
  // Its own one may be as old, from before the floor was raised.
  if (!existsSync(node) || process.execPath === realpathSync(node))
    endOnOlderNode(needed, basename(process.argv[1]), '"make setup" fetches one');
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 70);
}
