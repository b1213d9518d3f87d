/**
 * Patterns of end-to-end test files that run one at a time, when nothing else runs. Every other file has namespaces, sockets
 * and folders of its own, and expects no answer within a second or less.
 */
export const alone: readonly string[] = [
  // They send packets, and see where each arrives within a moment.
  'src/redirect/{behaviour,faults,obstacles,validate}.e2e.ts',
  // They look at the state of the whole machine.
  'e2e/{containers,systemd}/**/*.e2e.ts',
  // They measure: no request may fail, and no answer be late, because another file has the processors.
  'e2e/mesh/{nothing-dropped*,streams}.e2e.ts',
  'src/agent/{run,status/status-flood}.e2e.ts',
  'src/{cli/agent,source}/hostile.e2e.ts',
];

/** Tests on a real Kubernetes API server; they come last, since `make setup` may still be building it. */
export const onClusters: readonly string[] = [
  'src/{testing/,}kubernetes/*.e2e.ts',
  'e2e/cluster/*.e2e.ts',
  'src/control/{admission,keys,leader,status,registry/cluster}/*.e2e.ts',
  'src/install/*.e2e.ts',
  'src/injection/server.e2e.ts',
  'src/control/debug/account-readers.e2e.ts',
  'src/definitions/*.e2e.ts',
  'src/consul/*.e2e.ts',
  'src/control/registry/catalog/*.e2e.ts',
];

/** Those of them that run one at a time, after the others: no request of a load may fail, and other files take the processors. */
export const aloneOnClusters: readonly string[] = ['e2e/cluster/canary.e2e.ts'];
