import { messageCheck } from './message.ts';
import { type ApiProblem, Report } from './report.ts';
import { schemaVersion } from './schema.ts';

/** The Envoy release whose API is checked, as `1.40.0`. */
export const apiVersion: string = schemaVersion;

/**
 * Every reason for which Envoy's API refuses `json` as a message of the type (full name without leading dot): unknown
 * fields, types, ranges, oneofs, enums, protoc-gen-validate's rules, and the same inside each Any. Both spellings of
 * field names are taken; the lenient forms that Envoy's own parser also takes are refused. An empty list does not mean
 * that Envoy accepts: what refers to something else (clusters, secrets, files) is not seen here.
 */
export function checkMessage(typeName: string, json: unknown): readonly ApiProblem[] {
  const report = new Report();
  messageCheck(typeName)(json, report);
  return report.problems;
}

/** The same for a message that names its own type in `@type`. */
export function checkAny(json: unknown): readonly ApiProblem[] {
  return checkMessage('google.protobuf.Any', json);
}

export type { ApiProblem, ApiProblemCode } from './report.ts';
