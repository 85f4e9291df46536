package io.github.distlock.aop.weaving;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

import org.jspecify.annotations.Nullable;

/**
 * A key of a map that stands for an object, compared by identity, and does not keep the
 * object from being collected.
 */
public final class WeakIdentity extends WeakReference<Object> {

	private final int hash;

	/**
	 * Create a key.
	 * @param object the object
	 * @param queue where the key is put when the object is collected; {@code null} for a
	 * key that only looks up
	 */
	public WeakIdentity(Object object, @Nullable ReferenceQueue<Object> queue) {
		super(object, queue);
		this.hash = System.identityHashCode(object);
	}

	@Override
	public int hashCode() {
		return this.hash;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		if (this == other) {
			return true;
		}
		Object object = get();
		return object != null && other instanceof WeakIdentity identity && identity.get() == object;
	}

}
