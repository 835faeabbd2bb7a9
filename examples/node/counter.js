/** Increments a counter in a ConfigMap that other clients write as well; reads it again after a conflict. */
export async function count(core, { name, namespace }) {
  for (;;) {
    const body = await core.readNamespacedConfigMap({ name, namespace });
    body.data = { ...body.data, count: String(Number(body.data?.count ?? 0) + 1) };
    try {
      return await core.replaceNamespacedConfigMap({ name, namespace, body });
    } catch (error) {
      if (error.code !== 409) throw error;
    }
  }
}
