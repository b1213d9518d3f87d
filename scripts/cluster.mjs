// A Kubernetes API server, meshd, and pods as network namespaces with real Envoys: see e2e/cluster/cluster.ts.
import './tools/own-node.mjs';

await import('../e2e/cluster/cluster.ts');
