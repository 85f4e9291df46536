package io.github.distlock.aop.weaving;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A map whose keys are objects compared by identity. The map does not keep a key from
 * being collected; an entry is removed some time after that. Thread-safe.
 *
 * @param <V> the type of the values
 */
final class WeakIdentityMap<V> {

	private final Map<Key, V> entries = new ConcurrentHashMap<>();

	private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

	/**
	 * Associate a value with an object.
	 * @param object the object
	 * @param value the value
	 */
	void put(Object object, V value) {
		for (Reference<?> key; (key = this.collected.poll()) != null;) {
			this.entries.remove(key);
		}
		this.entries.put(new Key(object, this.collected), value);
	}

	/**
	 * Return the value of an object.
	 * @param object the object
	 * @return the value, or {@code null} if there is none
	 */
	@Nullable V get(Object object) {
		return this.entries.get(new Key(object, null));
	}

	/**
	 * A weak reference that is equal to another one to the same object.
	 */
	private static final class Key extends WeakReference<Object> {

		private final int hash;

		Key(Object object, @Nullable ReferenceQueue<Object> queue) {
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
			return object != null && other instanceof Key key && key.get() == object;
		}

	}

}
