// Writes where the time of the last `make test` went into CONTRIBUTING.md.
import './tools/own-node.mjs';

await import('./test/write-times.ts');
