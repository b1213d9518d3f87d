import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/testing/run-meshpol.ts';
import { codeBlocks } from './code-blocks.ts';

const peer = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata:
  name: default
  namespace: shop
spec:
  mtls:
    mode: STRIKT
`;
const cart = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata:
  name: cart
  namespace: shop
spec:
  selector:
    matchLabels: {app: cart}
  action: ALLOW
  rules:
  - to:
    - operation:
        methods: ["get"]
`;

test.each([
  ['README.md', 'policies/peer.yaml:8:11: error', 'compile', 'peer.yaml', peer],
  ['README.md', '$ meshpol lint policies/', 'lint', 'cart.yaml', cart],
  ['docs/reference/meshpol-lint.md', '1 warning in 1 file', 'lint', 'cart.yaml', cart],
])('%s shows what the programs print: %s', async (page, start, command, name, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'printed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'policies'));
  writeFileSync(join(folder, 'policies', name), text);
  const { out, error } = await run(`${command} ${join(folder, 'policies')}`);
  const shown = codeBlocks(readFileSync(page, 'utf8')).find((block) => block.text.startsWith(start));
  const lines = shown?.text.split('\n').filter((line) => line !== '' && !line.startsWith('$ '));
  const printed = `${out}${error}`.replaceAll(`${folder}/`, '').split('\n');
  const from = printed.findIndex((line) => fits(line, lines?.[0]));
  expect(printed.slice(from, -1).map((line, at) => (fits(line, lines?.[at]) ? lines?.[at] : line))).toEqual(lines);
});

/** Whether a page may show the line so: the same text, or a part of it before "…". */
function fits(line: string, shown: string | undefined): boolean {
  return shown?.endsWith('…') ? line.startsWith(shown.slice(0, -1)) : line === shown;
}

test.each([
  ['meshpol-explain.md', '000 ', 'explain --from legacy/curl --to httpbin.foo'],
  ['meshpol-describe.md', 'foo/httpbin: Pod', 'describe foo/httpbin'],
])('docs/reference/%s shows what the command prints', async (page, start, line) => {
  const folder = 'examples/first-mesh/';
  const shown = codeBlocks(readFileSync(`docs/reference/${page}`, 'utf8')).find(({ text }) => text.startsWith(start));
  const inputs = ['topology.yaml', 'policies/namespace-strict.yaml'].map((path) => folder + path);
  const { out } = await run(`${line} ${inputs.join(' ')}`);
  expect(out.replaceAll(folder, '').trimEnd()).toBe(shown?.text.trimEnd());
});
