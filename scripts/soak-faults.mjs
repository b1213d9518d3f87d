// Faults at random in the mesh of a demonstration: see e2e/soak/soak-faults.ts.
import './tools/own-node.mjs';

await import('../e2e/soak/soak-faults.ts');
