package io.github.distlock.simulation;

import java.util.EnumSet;
import java.util.Set;

import io.github.distlock.LossCause;

/**
 * Which property a fault suspends, and which losses it explains. All that is not named
 * here holds in spite of the fault: S1 to S3 and S5 to S7 without data that the server
 * has lost, one end of each grant, and one report of each call.
 */
final class FaultEffects {

	/** All commands arrive in spite of these, and are executed once. */
	static final Set<Fault.Kind> LEAVE_COMMANDS = EnumSet.of(Fault.Kind.RESTART_REGISTRY, Fault.Kind.INTERRUPT,
			Fault.Kind.CANCEL, Fault.Kind.LOSE_MESSAGES, Fault.Kind.DELAY_MESSAGES, Fault.Kind.REPEAT_MESSAGES);

	/** These concern all keys of all JVMs, since they concern the server. */
	static final Set<Fault.Kind> GLOBAL = EnumSet.of(Fault.Kind.EMPTY_SERVER, Fault.Kind.FAIL_OVER,
			Fault.Kind.RESTART_SERVER, Fault.Kind.END_GRANT);

	private FaultEffects() {
	}

	enum Property {

		/** S1, S2 and minimum hold times of grants that were asked for before it. */
		GRANTS,

		/** Each call is answered by the store, from the fault on. */
		ANSWERS,

		/** S8, in the whole history. */
		TURNS,

		/** L1, while it lasts and for a time of recovery. */
		PROGRESS,

		/** The lock stays taken for its minimum hold time. */
		MIN_HOLD

	}

	static Set<Property> suspends(Fault.Kind kind) {
		return switch (kind) {
			case EMPTY_SERVER, FAIL_OVER ->
				EnumSet.of(Property.GRANTS, Property.ANSWERS, Property.TURNS, Property.PROGRESS, Property.MIN_HOLD);
			// Of the key whose grant was ended.
			case END_GRANT -> EnumSet.of(Property.GRANTS, Property.TURNS, Property.MIN_HOLD);
			// The confirmation of a grant by message may not arrive before its grace
			// ends.
			case LOSE_REQUESTS, LOSE_REPLIES, LATE_REQUESTS, PARTITION, PAUSE, RESTART_SERVER, REFUSE_TASKS, ERRORS ->
				EnumSet.of(Property.ANSWERS, Property.TURNS, Property.PROGRESS, Property.MIN_HOLD);
			case RESTART_REGISTRY -> EnumSet.of(Property.ANSWERS, Property.TURNS, Property.PROGRESS);
			// Of one key: nothing for any other.
			case POISON_KEY, THROW_ANSWERS ->
				EnumSet.of(Property.ANSWERS, Property.TURNS, Property.PROGRESS, Property.MIN_HOLD);
			case REPEAT_REQUESTS, LOSE_MESSAGES, CRASH -> EnumSet.of(Property.TURNS, Property.PROGRESS);
			// Both packets of a command may be late.
			case DELAY_PACKETS -> EnumSet.of(Property.ANSWERS, Property.TURNS);
			// A process that seems to have been suspended gives up what it retains.
			case STEP_WALL_CLOCK -> EnumSet.of(Property.TURNS, Property.MIN_HOLD);
			case DELAY_MESSAGES, REPEAT_MESSAGES -> EnumSet.of(Property.TURNS);
			// They also happen without a fault.
			case INTERRUPT, CANCEL -> EnumSet.noneOf(Property.class);
		};
	}

	static Set<LossCause> explains(Fault.Kind kind) {
		return switch (kind) {
			case EMPTY_SERVER, FAIL_OVER ->
				EnumSet.of(LossCause.FORGOTTEN, LossCause.TAKEN_OVER, LossCause.STORE_SILENT);
			case END_GRANT -> EnumSet.of(LossCause.RELEASED_BY_OPERATOR, LossCause.FORGOTTEN, LossCause.TAKEN_OVER);
			case LOSE_REQUESTS, LOSE_REPLIES, LATE_REQUESTS, DELAY_PACKETS, PARTITION, RESTART_SERVER, POISON_KEY,
					THROW_ANSWERS ->
				EnumSet.of(LossCause.STORE_SILENT);
			case PAUSE, REFUSE_TASKS, ERRORS -> EnumSet.of(LossCause.STORE_SILENT, LossCause.PROCESS_SUSPENDED);
			case RESTART_REGISTRY ->
				EnumSet.of(LossCause.STORE_SILENT, LossCause.PROCESS_SUSPENDED, LossCause.REGISTRY_RESTARTED);
			case STEP_WALL_CLOCK -> EnumSet.of(LossCause.PROCESS_SUSPENDED);
			case REPEAT_REQUESTS, LOSE_MESSAGES, CRASH, DELAY_MESSAGES, REPEAT_MESSAGES, INTERRUPT, CANCEL ->
				EnumSet.noneOf(LossCause.class);
		};
	}

	static boolean throwsErrors(Fault.Kind kind) {
		return kind == Fault.Kind.ERRORS || kind == Fault.Kind.REFUSE_TASKS || kind == Fault.Kind.THROW_ANSWERS;
	}

}
