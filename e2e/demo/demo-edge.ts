import { delay } from '../../src/lib/abort.ts';
import { type Edge, isAsExpected, startEdge } from '../mesh/edge.ts';
import { type MintedTokens, mintTokens, type TokenCell, type TokenRow, tokenRows } from '../mesh/token-table.ts';
import type { DemoReport } from './demo-report.ts';

const lifetimeSeconds = 4;
/** From `exp` on Envoy allows for this much difference between clocks. */
const clockSkewSeconds = 1;

/** Tokens at an ingress gateway, minted on the spot; gives the number of cells that differ. */
export async function demoEdge(example: string, report: DemoReport): Promise<number> {
  report.say('\nThe edge: an ingress gateway, the backend of foo behind it, a client outside. Tokens are minted now.');
  const minted = await mintTokens();
  const edge = await startEdge(example, (step) => report.step(step));
  let differing = 0;
  try {
    for (const row of tokenRows) differing += await runRow(edge, row, minted, example, report);
    differing += await runExpiry(edge, minted, report);
  } finally {
    await edge.testbed.close();
  }
  return differing;
}

async function runRow(
  edge: Edge,
  { title, files, cells }: TokenRow,
  minted: MintedTokens,
  example: string,
  report: DemoReport,
): Promise<number> {
  report.say('');
  report.step(title);
  await edge.enforce(files, minted);
  for (const file of files) report.step(`${example}/policies/${file} is in force at the gateway`);
  let differing = 0;
  for (const cell of cells) {
    if (!(await runCell(edge, cell, minted.tokens[cell.token], report))) differing += 1;
  }
  return differing;
}

async function runCell(edge: Edge, cell: TokenCell, token: string | undefined, report: DemoReport): Promise<boolean> {
  const answer = await edge.request(cell.path, token);
  const details = await edge.lastDetails();
  const isWell = isAsExpected(cell, answer);
  const what = `GET ${cell.path}, token: ${cell.token}`;
  report.cell(isWell, what, cell.status, answer.status, [`at the gateway: ${details ?? 'nothing logged'}`]);
  return isWell;
}

/** One token, before it expires and after. */
async function runExpiry(edge: Edge, minted: MintedTokens, report: DemoReport): Promise<number> {
  report.say('');
  report.step(`a token that expires in ${lifetimeSeconds} s`);
  await edge.enforce(['request-authentication.yaml'], minted);
  const { token, expiresAt } = await minted.expiring(lifetimeSeconds);
  const isFresh = await runCell(edge, { token: 'valid', path: '/ip', status: '200' }, token, report);
  const waitMs = (expiresAt + clockSkewSeconds + 1) * 1000 - Date.now();
  report.step(`waiting until ${clockSkewSeconds + 1} s after it has expired`);
  await delay(Math.max(waitMs, 0));
  const isOver = await runCell(edge, { token: 'expired', path: '/ip', status: '401' }, token, report);
  return [isFresh, isOver].filter((isWell) => !isWell).length;
}
