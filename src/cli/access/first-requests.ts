import { travel } from '../../access/evaluate/travel.ts';
import type { ObserveProxy } from '../../access/evaluate/way.ts';
import { type ExplainedWay, explainWays } from '../../access/explanation.ts';
import { expectationOf } from '../../access/suite/expectation-of.ts';
import type { WrittenRequest } from '../../config/policy-test.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { FirstRow } from '../../library/first-test/format-first-test.ts';
import type { OpenMesh } from './open-mesh.ts';
import { writtenAccesses } from './written-request.ts';

/** What a first test can expect of a request; undefined also where the request makes no sense in this mesh. */
export function firstExpectation(mesh: OpenMesh, request: WrittenRequest): FirstRow['expect'] | undefined {
  try {
    return expectationOf(followFirst(mesh, request));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Every way of a request that a first test may have. */
export function followFirst(
  mesh: OpenMesh,
  request: WrittenRequest,
  observers?: ObserveProxy,
): readonly ExplainedWay[] {
  const { world, originsOf } = mesh;
  const judge = { now: 0, claims: request.claims };
  const accesses = writtenAccesses(request, mesh);
  return explainWays(
    accesses.flatMap((access) => travel(world, access, judge, observers)),
    originsOf,
  );
}
