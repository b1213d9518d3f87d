// Agents of an older commit with this meshd, and agents of this build with that commit's meshd, on real Envoys: configuration,
// identity, reconnects.
//   make old-and-new REV=<commit, tag or branch>
// The older programs are built in .cache/builds/<commit>, from git's objects and with the packages of this checkout.
import './tools/own-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const tests = ['outcome-table', 'nothing-dropped', 'tokens'].map((name) => `e2e/served/${name}.e2e.ts`);
tests.push('e2e/identity/rotation.e2e.ts', 'e2e/identity/outage.e2e.ts');
const namesTest = 'e2e/served/names.e2e.ts';
const pairs = [
  ['agents of the older commit, this meshd', 'TESTBED_PILOT_AGENT'],
  ["these agents, the older commit's meshd", 'TESTBED_MESHD'],
];

const [revision] = process.argv.slice(2);
if (!revision) end('name the older commit: make old-and-new REV=<commit, tag or branch>');
const named = spawnSync('git', [
  '-C',
  root,
  'rev-parse',
  '--verify',
  '--quiet',
  '--end-of-options',
  `${revision}^{commit}`,
]);
if (named.status !== 0)
  end(`git knows no commit "${revision}" here: in a shallow clone, "git fetch --unshallow" gets the others`);
const commit = named.stdout.toString().trim();
const built = path.join('.cache/builds', commit);
if (!existsSync(path.join(root, built, 'dist/meshd.js'))) build(path.join(root, built));

const failed = pairs.filter(([what, variable]) => {
  console.log(`\n${what} (${commit.slice(0, 12)})`);
  const env = { ...process.env, [variable]: `${built}/dist` };
  const isWithoutNames =
    variable === 'TESTBED_MESHD' && !existsSync(path.join(root, built, 'src/control/start-dns.ts'));
  if (isWithoutNames) console.log(`  without ${namesTest}: that meshd serves no names`);
  const chosen = isWithoutNames ? tests : [...tests, namesTest];
  return run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...chosen], { cwd: root, env }) !== 0;
});
for (const [what] of failed) console.error(`failed: ${what}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function build(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const steps = [
    () =>
      run('bash', ['-o', 'pipefail', '-c', 'git archive "$1" | tar -x -C "$2"', 'bash', commit, folder], { cwd: root }),
    () => link(folder),
    () => run(process.execPath, ['scripts/generate.mjs'], { cwd: folder }),
    () => run(process.execPath, ['scripts/build.mjs'], { cwd: folder }),
  ];
  if (steps.some((step) => step() !== 0)) {
    rmSync(folder, { recursive: true, force: true });
    end(`${commit} cannot be built with the packages of this checkout`);
  }
}

function link(folder) {
  for (const name of ['node_modules', '.tools']) symlinkSync(path.join(root, name), path.join(folder, name));
  return 0;
}

function run(command, args, options) {
  return spawnSync(command, args, { stdio: 'inherit', ...options }).status ?? 1;
}

function end(text) {
  console.error(text);
  process.exit(2);
}
