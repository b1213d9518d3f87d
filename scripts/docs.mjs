// Writes the generated documents, or with --check says which are stale.
import './tools/own-node.mjs';

await import('./docs/main.ts');
