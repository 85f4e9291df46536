package io.github.distlock.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * One state of the whole system. All times are relative to now, and all fencing tokens
 * relative to the server's clock, so that old states repeat.
 */
final class World extends StatePart<World> {

	StoreState store = new StoreState();

	/** The highest fencing token under which a thread has entered. */
	int lastEntered = StoreState.NO_TOKEN;

	/** Ticks without a delay in which a waiter existed and no thread held the lock. */
	int idleTicks;

	boolean flushed;

	/** How many faults may still happen. */
	int faults;

	/** How many ticks may still pass although something is due. */
	int slowTicks;

	/** How many waiting threads may still give up. */
	int giveUps;

	boolean[] alive = new boolean[0];

	/** Whether the inbox of the JVM is subscribed. */
	boolean[] subscribed = new boolean[0];

	/** Whether the JVM gets no messages, and asks at intervals instead. */
	boolean[] deaf = new boolean[0];

	/** How many inboxes may still come back. */
	int inboxesBack;

	/** Whether the server still counts the inbox of a JVM that has died. */
	boolean[] halfOpen = new boolean[0];

	KeyEntry[] entries = new KeyEntry[0];

	List<Packet> packets = new ArrayList<>();

	List<Packet> messages = new ArrayList<>();

	/** How many JVMs, the last ones, have only scripts. */
	private int oldJvms;

	private World() {
	}

	static World initial(SearchSettings settings) {
		World world = new World();
		world.alive = new boolean[settings.jvms];
		world.subscribed = new boolean[settings.jvms];
		world.halfOpen = new boolean[settings.jvms];
		world.deaf = new boolean[settings.jvms];
		world.inboxesBack = settings.inboxesBack;
		world.oldJvms = settings.oldJvms;
		Arrays.fill(world.alive, true);
		Arrays.fill(world.subscribed, true);
		for (int i = settings.jvms - settings.deafJvms; i < settings.jvms; i++) {
			world.deaf[i] = true;
			world.subscribed[i] = false;
		}
		world.entries = new KeyEntry[settings.jvms * settings.entriesPerJvm];
		for (int i = 0; i < world.entries.length; i++) {
			world.entries[i] = new KeyEntry();
			world.entries[i].wishes = settings.threads * settings.rounds;
		}
		world.faults = settings.faults;
		world.slowTicks = settings.slowTicks;
		world.giveUps = settings.giveUps;
		return world;
	}

	@Override
	World copy() {
		World copy = super.copy();
		copy.store = this.store.copy();
		copy.alive = this.alive.clone();
		copy.subscribed = this.subscribed.clone();
		copy.halfOpen = this.halfOpen.clone();
		copy.deaf = this.deaf.clone();
		copy.entries = Arrays.stream(this.entries).map(KeyEntry::copy).toArray(KeyEntry[]::new);
		copy.packets = copies(this.packets);
		copy.messages = copies(this.messages);
		return copy;
	}

	private static List<Packet> copies(List<Packet> packets) {
		List<Packet> copies = new ArrayList<>();
		packets.forEach((packet) -> copies.add(packet.copy()));
		return copies;
	}

	int entriesPerJvm() {
		return this.entries.length / this.alive.length;
	}

	int jvmOfEntry(int entry) {
		return entry / entriesPerJvm();
	}

	int jvmOfTicket(int ticket) {
		return jvmOfEntry(ModelTicket.entry(ticket));
	}

	boolean hasOnlyScripts(int entry) {
		return jvmOfEntry(entry) >= this.alive.length - this.oldJvms;
	}

	boolean isDeaf(int entry) {
		return this.deaf[jvmOfEntry(entry)];
	}

	boolean isAlive(int entry) {
		return this.alive[jvmOfEntry(entry)];
	}

	/** The command of an entry whose reply is awaited. */
	@Nullable Packet awaited(int entry, Verb verb, int ticket) {
		for (Packet packet : this.packets) {
			if (packet.isAwaited() && packet.isFor(entry, verb, ticket)) {
				return packet;
			}
		}
		return null;
	}

	/** The client stops listening: commands may still be executed, replies are lost. */
	void stopListening(int entry, Verb verb, int ticket) {
		this.packets
			.removeIf((packet) -> packet.isAwaited() && packet.isFor(entry, verb, ticket) && packet.isExecuted());
		Packet unexecuted = awaited(entry, verb, ticket);
		if (unexecuted != null) {
			unexecuted.audience = Audience.GIVEN_UP;
		}
	}

	/** The commands of an entry were sent before the script that follows now. */
	void markAhead(int entry) {
		this.packets.stream()
			.filter((packet) -> packet.entry == entry && !packet.isExecuted())
			.forEach((packet) -> packet.ahead = true);
	}

	void dropMessages(int jvm) {
		this.messages.removeIf((message) -> jvmOfTicket(message.ticket) == jvm);
	}

	/** A fault has happened. Waiters are entitled to progress only from now on. */
	void countFault() {
		this.faults--;
		this.idleTicks = 0;
	}

	/**
	 * The server's clock has moved. Gaps below it that are wider than this are closed;
	 * order and neighbours stay, so that states repeat.
	 */
	void shiftTokens(int distance, int gap) {
		TreeSet<Integer> all = new TreeSet<>();
		mapTokens((token) -> {
			all.add(token);
			return token;
		});
		TreeMap<Integer, Integer> shifted = new TreeMap<>();
		int lastOld = 0;
		int lastNew = 0;
		for (int token : all.descendingSet()) {
			int old = token - distance;
			if (old >= 0) {
				shifted.put(token, old);
				continue;
			}
			lastNew -= Math.min(lastOld - old, gap);
			lastOld = old;
			shifted.put(token, lastNew);
		}
		mapTokens(shifted::get);
	}

	private void mapTokens(IntUnaryOperator map) {
		this.store.mapTokens(map);
		if (this.lastEntered != StoreState.NO_TOKEN) {
			this.lastEntered = map.applyAsInt(this.lastEntered);
		}
		for (KeyEntry entry : this.entries) {
			entry.mapTokens(map);
		}
		this.packets.forEach((packet) -> packet.mapTokens(map));
		this.messages.forEach((message) -> message.mapTokens(map));
	}

	void pass(StateForm form) {
		this.store.pass(form);
		this.lastEntered = form.number(this.lastEntered);
		this.idleTicks = form.number(this.idleTicks);
		this.flushed = form.flag(this.flushed);
		this.faults = form.number(this.faults);
		this.slowTicks = form.number(this.slowTicks);
		this.giveUps = form.number(this.giveUps);
		this.inboxesBack = form.number(this.inboxesBack);
		for (int jvm : form.renaming.jvms()) {
			this.alive[jvm] = form.flag(this.alive[jvm]);
			this.subscribed[jvm] = form.flag(this.subscribed[jvm]);
			this.halfOpen[jvm] = form.flag(this.halfOpen[jvm]);
			this.deaf[jvm] = form.flag(this.deaf[jvm]);
		}
		for (int entry : form.renaming.entries()) {
			this.entries[entry].pass(form);
		}
		form.sorted(this.packets);
		form.sorted(this.messages);
	}

	static World read(byte[] bytes, SearchSettings settings, Renaming none) {
		World world = initial(settings);
		world.pass(new StateForm(bytes, none));
		return world;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder(this.store.toString());
		for (int i = 0; i < this.entries.length; i++) {
			text.append("  ").append(ModelTicket.entryName(i)).append('{').append(this.entries[i]).append('}');
		}
		return text.toString();
	}

}
