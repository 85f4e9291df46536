package io.github.distlock.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockListener;
import io.github.distlock.actuate.LocksDescriptor.HotKeyDescriptor;

/**
 * Finds the keys of each store for which callers of this JVM have waited longest in all,
 * in little memory however many keys there are (the algorithm "space-saving").
 * Thread-safe. A release costs one look-up.
 * <p>
 * <b>Invariant.</b> The times of the keys that are kept add up to the time of all waits,
 * since a key that is new replaces the one with the least time, and takes its time over.
 * So no key has a time that is too short, none has more than a hundredth of all waits too
 * much, and each key with more than a hundredth is kept. Only the atomic operation of
 * {@link #stores} for a store adds and removes keys.
 */
public final class HotKeys implements LockListener {

	/** How many keys of each store are kept. */
	static final int CAPACITY = 100;

	private final Map<String, Map<String, HotKeyDescriptor>> stores = new ConcurrentHashMap<>();

	@Override
	public void onWaitingEnded(Waiting event) {
		this.stores.compute(event.backend(), (store, known) -> {
			Map<String, HotKeyDescriptor> keys = (known != null) ? known : new ConcurrentHashMap<>();
			HotKeyDescriptor before = Objects.requireNonNullElseGet(keys.get(event.key()), () -> newKey(keys));
			Duration longest = (event.waited().compareTo(before.longest()) > 0) ? event.waited() : before.longest();
			keys.put(event.key(), new HotKeyDescriptor(event.key(), event.name(), before.holder(), before.waits() + 1,
					before.waited().plus(event.waited()), before.error(), longest));
			return keys;
		});
	}

	/** Return the start of a new key, which takes over the time of the least one. */
	private static HotKeyDescriptor newKey(Map<String, HotKeyDescriptor> keys) {
		Duration error = Duration.ZERO;
		if (keys.size() >= CAPACITY) {
			HotKeyDescriptor least = Collections.min(keys.values(), Comparator.comparing(HotKeyDescriptor::waited));
			keys.remove(least.key());
			error = least.waited();
		}
		return new HotKeyDescriptor("", "", null, 0, error, error, Duration.ZERO);
	}

	@Override
	public void onReleased(Released event) {
		Map<String, HotKeyDescriptor> keys = this.stores.get(event.backend());
		if (keys != null) {
			keys.computeIfPresent(event.key(),
					(key, now) -> event.name().equals(now.holder()) ? now : new HotKeyDescriptor(key, now.name(),
							event.name(), now.waits(), now.waited(), now.error(), now.longest()));
		}
	}

	/** Return the keys of a store, those first that certainly cost most. Not masked. */
	List<HotKeyDescriptor> hottest(String backend) {
		List<HotKeyDescriptor> keys = new ArrayList<>(this.stores.getOrDefault(backend, Map.of()).values());
		keys.sort(Comparator.comparing((HotKeyDescriptor key) -> key.waited().minus(key.error())).reversed());
		return keys;
	}

}
