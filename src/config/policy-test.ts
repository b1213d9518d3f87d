import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { isHeaderName, isOneLine } from '../schema/texts.ts';
import { validateConfiguration } from '../schema/validate-configuration.ts';
import type { PolicyDocument, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';

/** A request of a case, as it is written; what is absent has the default of `meshpol explain`. */
export interface WrittenRequest {
  readonly from?: string;
  readonly to?: string;
  readonly protocol?: 'http' | 'http2' | 'tcp';
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  /** Of the destination, where `to` has none. */
  readonly port?: number;
  /** Of a client outside: the address that it connects from. */
  readonly address?: string;
  /** Of a client outside, which uses TLS then: the server name in its first message. */
  readonly sni?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly authorizer?: 'allow' | 'deny' | 'away';
}

/** What must hold for every possible outcome of a request. */
export interface Expectation {
  readonly status?: number;
  readonly grpcStatus?: number;
  readonly exit?: number | readonly number[];
  readonly reaches?: string;
  readonly by?: string;
  /** An extension provider; `none`: no external authorizer. */
  readonly authorizer?: string;
}

interface WrittenRow {
  readonly name?: string;
  readonly request?: WrittenRequest;
  readonly expect?: Expectation;
}

interface WrittenCase extends WrittenRow {
  readonly name: string;
  readonly tags?: readonly string[];
  readonly table?: readonly WrittenRow[];
}

/** A workload that the inputs of a test lack. */
export interface WrittenWorkload {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly account?: string;
  readonly ports?: readonly (string | number)[];
  readonly proxy?: 'sidecar' | 'router' | 'none';
}

/** One `kind: PolicyTest`, as the schema holds it. */
export interface PolicyTest {
  readonly name: string;
  readonly inputs: readonly string[] | undefined;
  readonly workloads: readonly WrittenWorkload[];
  readonly now: string | undefined;
  readonly cases: readonly PolicyTestCase[];
  readonly document: PolicyDocument;
}

/** One case, or one row of a table, with what it has in common with the others filled in. */
export interface PolicyTestCase {
  readonly name: string;
  readonly tags: readonly string[];
  readonly request: WrittenRequest;
  /** Absent: neither the case nor its table has one, which is a mistake. */
  readonly expect: Expectation | undefined;
  /** Where it stands. */
  readonly path: readonly (string | number)[];
}

/** Whether a request can have the header, in a test or on the command line. */
export function isRequestHeader(name: string, value: string): boolean {
  return isHeaderName(name) && isOneLine(value);
}

/** Whether a request can have this text as its method: what is none would move the boundary between method and path. */
export function isRequestMethod(text: string): boolean {
  return isHeaderName(text);
}

/** Whether a request can have the method, path or host. */
export function isRequestText(text: string): boolean {
  return isOneLine(text);
}

/** Whether a document is meant as a test of policies; its schema may not hold, nor its version be ours. */
function isPolicyTest({ value }: Pick<PolicyDocument, 'value'>): boolean {
  return value.kind === 'PolicyTest';
}

/** The tests in a file, those of which the schema holds; mistakes are in the bag. Other documents are passed over. */
export function parsePolicyTests(file: SourceFile, bag: DiagnosticBag): readonly PolicyTest[] {
  if (!/\bPolicyTest\b/.test(file.text)) return [];
  // A text that does not parse may hold a test; all else in it is told by the commands that read it.
  const documents = parse([file], bag).filter(isPolicyTest);
  return documents.flatMap((document) => {
    if (!validateConfiguration('PolicyTest', document, bag)) return [];
    const { metadata, spec } = document.value as unknown as {
      readonly metadata: { readonly name: string };
      readonly spec: Pick<Partial<PolicyTest>, 'inputs' | 'workloads' | 'now'> & {
        readonly cases: readonly WrittenCase[];
      };
    };
    const { inputs, workloads = [], now, cases } = spec;
    if (cases.map((one, i) => reportTwoTokens(one, i, document, bag)).includes(true)) return [];
    return [{ ...{ name: metadata.name, inputs, workloads, now, document }, cases: cases.flatMap(rowsOf) }];
  });
}

/** Whether a row adds claims to a token of its case, or the other way round; in one request, the schema forbids it. */
function reportTwoTokens(
  { request = {}, table = [] }: WrittenCase,
  index: number,
  document: PolicyDocument,
  bag: DiagnosticBag,
): boolean {
  const added = request.claims === undefined ? 'claims' : 'token';
  if ((request.claims ?? request.token) === undefined) return false;
  const rows = [...table.keys()].filter((i) => table[i]?.request?.[added] !== undefined);
  for (const i of rows) {
    const span = document.spanOf(['spec', 'cases', index, 'table', i, 'request', added], 'key');
    const where = 'the request of this row, which has one of them from its case';
    bag.report('conflicting-fields', span, { fields: '"claims" and "token"', where });
  }
  return rows.length > 0;
}

function rowsOf(
  { name, tags = [], request = {}, expect, table }: WrittenCase,
  index: number,
): readonly PolicyTestCase[] {
  const path = ['spec', 'cases', index];
  if (table === undefined) return [{ name, tags, request, expect, path }];
  return table.map((row, i) => ({
    name: `${name} > ${row.name ?? rowName(row, i)}`,
    tags,
    request: { ...request, ...row.request, headers: { ...request.headers, ...row.request?.headers } },
    expect: row.expect ?? expect,
    path: [...path, 'table', i],
  }));
}

/** What a row says, else its number. */
function rowName({ request = {} }: WrittenRow, index: number): string {
  const { headers, claims, token, ...plain } = request;
  const said = Object.entries(plain).map(([field, value]) => `${field} ${value}`);
  return said.length > 0 ? said.join(', ') : `row ${index + 1}`;
}
