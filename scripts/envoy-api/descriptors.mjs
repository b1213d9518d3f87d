import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };

/**
 * Every FileDescriptorProto of the Go modules that `go.mod` beside this file pins, decoded, with the options of
 * protoc-gen-validate and of Envoy's annotations under the keys `.validate.rules`, `.envoy.annotations.…`.
 */
export function readFileDescriptors(modulesFolder) {
  const modules = downloadModules(modulesFolder);
  const decode = descriptorDecoder(modules);
  const files = new Map();
  for (const { Dir } of modules) {
    for (const file of goFiles(Dir)) {
      for (const bytes of rawDescriptors(readFileSync(file, 'utf8'))) {
        const descriptor = decode(bytes);
        files.set(descriptor.name, descriptor);
      }
    }
  }
  return [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The version of Envoy's API module, without the `v`: there is one module version for each Envoy release. */
export function envoyVersion(modulesFolder) {
  const lock = readFileSync(path.join(modulesFolder, 'go.mod'), 'utf8');
  const version = /go-control-plane\/envoy v(\d+\.\d+\.\d+)/.exec(lock)?.[1];
  if (version === undefined) throw new Error('go.mod does not pin github.com/envoyproxy/go-control-plane/envoy');
  return version;
}

function downloadModules(folder) {
  // Read-only, so that the checksums in go.sum are the lock; no toolchain download, nothing is compiled.
  const env = { ...process.env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOWORK: 'off' };
  const output = execFileSync('go', ['mod', 'download', '-json'], { cwd: folder, env, encoding: 'utf8' });
  return JSON.parse(`[${output.trim().replaceAll(/}\s*{/g, '},{')}]`);
}

function* goFiles(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isFile() && entry.name.endsWith('.pb.go') && !entry.name.includes('_vtproto')) {
      yield path.join(entry.parentPath, entry.name);
    }
  }
}

/** Generated Go holds the descriptor as a string constant (newer) or as a byte slice (older). */
function* rawDescriptors(text) {
  for (const [, literals] of text.matchAll(/const file_\w+_rawDesc = ((?:"(?:[^"\\\n]|\\.)*"(?:\s*\+\s*)?)+)/g)) {
    yield Buffer.concat([...literals.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, literal]) => unquote(literal)));
  }
  for (const [, bytes] of text.matchAll(/var file_\w+_rawDesc = \[\]byte\{([^}]*)\}/g)) {
    yield Buffer.from([...bytes.matchAll(/0x([0-9a-f]{2})/g)].map(([, hex]) => Number.parseInt(hex, 16)));
  }
}

const simpleEscapes = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, '"': 34, "'": 39 };

/** Go's interpreted string literal: `\x` and octal escapes are bytes, everything else is UTF-8. */
function unquote(literal) {
  const parts = [];
  const pattern = /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-7]{3})|\\(.)|([^\\]+)/gs;
  for (const [, hex, short, long, octal, simple, plain] of literal.matchAll(pattern)) {
    if (hex !== undefined) parts.push(Buffer.of(Number.parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8)));
    else if (simple !== undefined) parts.push(Buffer.of(simpleEscapes[simple]));
    else parts.push(Buffer.from(plain ?? String.fromCodePoint(Number.parseInt(short ?? long, 16))));
  }
  return Buffer.concat(parts);
}

/** The field numbers are those of envoy/annotations/deprecation.proto, which exists only as a descriptor itself. */
const annotations = `syntax = "proto2";
package envoy.annotations;
extend google.protobuf.FieldOptions {
  optional bool disallowed_by_default = 189503207;
  optional string deprecated_at_minor_version = 157299826;
}
extend google.protobuf.EnumValueOptions {
  optional bool disallowed_by_default_enum = 70100853;
  optional string deprecated_at_minor_version_enum = 181198657;
}`;

const sensitive = `syntax = "proto2";
package udpa.annotations;
extend google.protobuf.FieldOptions {
  optional bool sensitive = 76569463;
}`;

function descriptorDecoder(modules) {
  const validate = modules.find(({ Path }) => Path === 'github.com/envoyproxy/protoc-gen-validate');
  const root = protobuf.Root.fromJSON(descriptorJson);
  // The rules of durations and timestamps refer to these two.
  for (const name of ['duration', 'timestamp'])
    root.addJSON(protobuf.common.get(`google/protobuf/${name}.proto`).nested);
  const rules = readFileSync(path.join(validate.Dir, 'validate', 'validate.proto'), 'utf8');
  for (const source of [rules, annotations, sensitive]) protobuf.parse(source, root, { keepCase: true });
  root.resolveAll();
  const type = root.lookupType('google.protobuf.FileDescriptorProto');
  return (bytes) => type.toObject(type.decode(bytes), { longs: Number, enums: String });
}
