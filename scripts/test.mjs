// Runs every test, those of units also on the oldest Node that runs them, and ends with the line `N passed, N failed, N skipped`; in CI (CI=true) a skip is a failure. What took how long is left for `make times`.
import './tools/own-node.mjs';

await import('./test/main.ts');
