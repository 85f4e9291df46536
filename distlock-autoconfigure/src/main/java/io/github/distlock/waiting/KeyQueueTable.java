package io.github.distlock.waiting;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * The queues that callers share, by key, and their locks. A hash table with open
 * addressing, which costs a key one reference and no node, since each queue knows its
 * key. Thread-safe.
 * <p>
 * The table has a fixed number of stripes. The lock of a stripe guards its part of the
 * table and the queues in it. It is held for moments, so two keys with the same lock
 * delay each other only for a moment. No queue is called here. A queue with a ticket of
 * its own looks others up under its own lock; no thread takes such a lock while it holds
 * that of a stripe.
 */
final class KeyQueueTable {

	/** Many more than threads that run at a time; a power of two. */
	private static final int STRIPES = 256;

	/** Spreads hash codes over the upper bits: 2^32 divided by the golden ratio. */
	private static final int HASH_MULTIPLIER = 0x9E3779B9;

	private final QueueStripe[] stripes = IntStream.range(0, STRIPES)
		.mapToObj((i) -> new QueueStripe())
		.toArray(QueueStripe[]::new);

	/** Return the queue of a key, which another thread may remove at any time. */
	@Nullable KeyQueue get(String key) {
		int hash = hash(key);
		return stripe(hash).get(key, hash);
	}

	/** Return the queue of a key, or create it. */
	KeyQueue obtain(String key, KeyQueueContext context) {
		int hash = hash(key);
		return stripe(hash).obtain(key, hash, context);
	}

	/** Remove the queue of a key. To be called under its lock. Needs no memory. */
	void remove(String key) {
		int hash = hash(key);
		stripe(hash).remove(key, hash);
	}

	/** Return the queues that are in the table now. */
	List<KeyQueue> all() {
		List<KeyQueue> all = new ArrayList<>();
		for (QueueStripe stripe : this.stripes) {
			stripe.copyTo(all);
		}
		return all;
	}

	private static int hash(String key) {
		return key.hashCode() * HASH_MULTIPLIER;
	}

	private QueueStripe stripe(int hash) {
		return this.stripes[hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(STRIPES))];
	}

	private static final class QueueStripe {

		private static final int INITIAL_CAPACITY = 4;

		/** Full, so that it is replaced before a queue is put into it. */
		private static final AtomicReferenceArray<@Nullable KeyQueue> EMPTY = new AtomicReferenceArray<>(1);

		private final ReentrantLock lock = new ReentrantLock();

		/**
		 * Written under {@link #lock}. Each queue is at the index of its key's hash, or
		 * behind it without an empty slot between. At most three quarters of the slots
		 * are used, so each search ends at an empty slot.
		 * <p>
		 * A search without the lock may miss a queue while others are moved, so a miss is
		 * confirmed under the lock. What it finds is the queue of the key, which may have
		 * been removed meanwhile.
		 */
		private volatile AtomicReferenceArray<@Nullable KeyQueue> slots = EMPTY;

		/** Guarded by {@link #lock}. */
		private int size;

		@Nullable KeyQueue get(String key, int hash) {
			KeyQueue found = search(key, hash);
			if (found != null) {
				return found;
			}
			this.lock.lock();
			try {
				return search(key, hash);
			}
			finally {
				this.lock.unlock();
			}
		}

		KeyQueue obtain(String key, int hash, KeyQueueContext context) {
			KeyQueue found = search(key, hash);
			if (found != null) {
				return found;
			}
			this.lock.lock();
			try {
				KeyQueue existing = search(key, hash);
				return (existing != null) ? existing : put(new KeyQueue(key, this.lock, context), hash);
			}
			finally {
				this.lock.unlock();
			}
		}

		private KeyQueue put(KeyQueue queue, int hash) {
			if (this.size >= this.slots.length() / 4 * 3) {
				grow();
			}
			putInto(this.slots, queue, hash);
			this.size++;
			return queue;
		}

		/** If there is no memory for that, the table stays as it is. */
		private void grow() {
			AtomicReferenceArray<@Nullable KeyQueue> old = this.slots;
			AtomicReferenceArray<@Nullable KeyQueue> larger = new AtomicReferenceArray<>(
					Math.max(INITIAL_CAPACITY, old.length() * 2));
			for (int i = 0; i < old.length(); i++) {
				KeyQueue queue = old.get(i);
				if (queue != null) {
					putInto(larger, queue, hash(queue.key()));
				}
			}
			this.slots = larger;
		}

		private static void putInto(AtomicReferenceArray<@Nullable KeyQueue> slots, KeyQueue queue, int hash) {
			int index = home(slots, hash);
			while (slots.get(index) != null) {
				index = next(slots, index);
			}
			slots.set(index, queue);
		}

		/**
		 * Nothing is changed before the search, which needs as much stack as the rest.
		 */
		void remove(String key, int hash) {
			this.lock.lock();
			try {
				AtomicReferenceArray<@Nullable KeyQueue> current = this.slots;
				int gap = home(current, hash);
				for (KeyQueue queue; (queue = current.get(gap)) == null || !queue.key().equals(key);) {
					if (queue == null) {
						return;
					}
					gap = next(current, gap);
				}
				closeGap(current, gap);
				this.size--;
			}
			finally {
				this.lock.unlock();
			}
		}

		/**
		 * Move the queues behind a gap that may be there only because it was taken. Each
		 * is in its new slot before it leaves the old one.
		 */
		private static void closeGap(AtomicReferenceArray<@Nullable KeyQueue> slots, int first) {
			int mask = slots.length() - 1;
			int gap = first;
			KeyQueue follower;
			for (int index = next(slots, gap); (follower = slots.get(index)) != null; index = next(slots, index)) {
				int fromHome = (index - home(slots, hash(follower.key()))) & mask;
				int fromGap = (index - gap) & mask;
				if (fromHome >= fromGap) {
					slots.set(gap, follower);
					gap = index;
				}
			}
			slots.set(gap, null);
		}

		void copyTo(List<KeyQueue> all) {
			this.lock.lock();
			try {
				for (int i = 0; i < this.slots.length(); i++) {
					KeyQueue queue = this.slots.get(i);
					if (queue != null) {
						all.add(queue);
					}
				}
			}
			finally {
				this.lock.unlock();
			}
		}

		private @Nullable KeyQueue search(String key, int hash) {
			AtomicReferenceArray<@Nullable KeyQueue> current = this.slots;
			KeyQueue queue;
			for (int index = home(current, hash); (queue = current.get(index)) != null; index = next(current, index)) {
				if (queue.key().equals(key)) {
					return queue;
				}
			}
			return null;
		}

		private static int home(AtomicReferenceArray<@Nullable KeyQueue> slots, int hash) {
			return (hash ^ (hash >>> 16)) & (slots.length() - 1);
		}

		private static int next(AtomicReferenceArray<@Nullable KeyQueue> slots, int index) {
			return (index + 1) & (slots.length() - 1);
		}

	}

}
