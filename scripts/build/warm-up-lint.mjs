/** One small `meshpol lint`. */
export async function warmUp({ runLint }) {
  const io = { stdin: [], environment: {}, writeOut: async () => {}, writeError: async () => {} };
  const inputs = ['examples/first-mesh/topology.yaml', 'examples/first-mesh/policies/namespace-strict.yaml'];
  await runLint(inputs, { config: false, maxDiagnostics: 50 }, io);
}
