// The specification's outcome table, and its tokens at a gateway, on real Envoys in network namespaces: see src/testbed/demo.ts.
process.argv.splice(2, 0, 'src/testbed/demo.ts');
await import('./run-ts.mjs');
