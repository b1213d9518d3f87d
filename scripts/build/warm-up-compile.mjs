/** One small `meshpol compile`. */
export async function warmUp({ runCompile }) {
  const io = { stdin: [], environment: {}, writeOut: async () => {}, writeError: async () => {} };
  const inputs = ['examples/first-mesh/topology.yaml', 'examples/first-mesh/policies/namespace-strict.yaml'];
  await runCompile(
    inputs,
    { workload: [{ namespace: 'foo', name: 'httpbin' }], format: 'json', maxDiagnostics: 50, diagnostics: 'text' },
    io,
  );
}
