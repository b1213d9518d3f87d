import { expect, test } from 'vitest';
import { variables } from '../../config/variables.ts';
import { serveVariables } from './variables.ts';

test('meshd serve describes every variable of a control plane: none is read without effect', () => {
  const described = new Set(serveVariables.map(({ name }) => name));
  const ofControlPlane = variables.filter(({ owner }) => owner === 'control-plane').map(({ name }) => name);
  expect(ofControlPlane.length).toBeGreaterThan(15);
  expect(ofControlPlane.filter((name) => !described.has(name))).toEqual([]);
});
