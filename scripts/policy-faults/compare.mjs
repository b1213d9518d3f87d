// Compares what compiler and evaluator decide with a plain reading of the policies, and prints how many decisions differ in
// the first mesh in which any does.
//   node scripts/policy-faults/compare.mjs SEED
import process from 'node:process';
import { Dice } from '../../src/testing/dice.ts';
import { compareMeshes } from '../../src/testing/oracle/compare.ts';
import { createKeySets } from '../../src/testing/oracle/surroundings.ts';

const sizes = { meshes: 150, questions: 250 };
const { differences } = await compareMeshes(new Dice(Number(process.argv[2])), createKeySets(), sizes);
console.log(differences.length);
