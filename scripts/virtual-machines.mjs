// A mesh without Kubernetes, on real Envoys under systemd in namespaces: see e2e/demo/demo-virtual-machines.ts.
import './tools/own-node.mjs';

await import('../e2e/demo/demo-virtual-machines.ts');
