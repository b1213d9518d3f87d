/** Version of this product; the build puts it in. */
export const version = process.env.MESH_VERSION ?? '0.0.0-dev';
