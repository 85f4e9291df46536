package io.github.distlock.backend.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The commands that have no connection yet, each kind in order of arrival. Not
 * thread-safe.
 */
final class PendingCommands {

	private final Map<Kind, Deque<JdbcCommand<?>>> kinds = new EnumMap<>(Kind.class);

	void addFirst(JdbcCommand<?> command) {
		of(command.kind).addFirst(command);
	}

	void addLast(JdbcCommand<?> command) {
		of(command.kind).addLast(command);
	}

	/** Remove a command. Returns whether it was pending. */
	boolean remove(JdbcCommand<?> command) {
		return of(command.kind).remove(command);
	}

	/** Return the first command of the first of these kinds that has one. */
	@Nullable JdbcCommand<?> first(Kind... candidates) {
		for (Kind kind : candidates) {
			JdbcCommand<?> first = of(kind).peekFirst();
			if (first != null) {
				return first;
			}
		}
		return null;
	}

	/** Remove the first command of the first of these kinds that has one. */
	@Nullable JdbcCommand<?> removeFirst(Kind... candidates) {
		JdbcCommand<?> first = first(candidates);
		if (first != null) {
			remove(first);
		}
		return first;
	}

	int size() {
		return this.kinds.values().stream().mapToInt(Deque::size).sum();
	}

	boolean isEmpty() {
		for (Deque<JdbcCommand<?>> commands : this.kinds.values()) {
			if (!commands.isEmpty()) {
				return false;
			}
		}
		return true;
	}

	void forEach(Consumer<JdbcCommand<?>> action) {
		this.kinds.values().forEach((commands) -> commands.forEach(action));
	}

	List<JdbcCommand<?>> removeAll() {
		List<JdbcCommand<?>> all = new ArrayList<>();
		forEach(all::add);
		this.kinds.values().forEach(Deque::clear);
		return all;
	}

	private Deque<JdbcCommand<?>> of(Kind kind) {
		return this.kinds.computeIfAbsent(kind, (newKind) -> new ArrayDeque<>());
	}

}
