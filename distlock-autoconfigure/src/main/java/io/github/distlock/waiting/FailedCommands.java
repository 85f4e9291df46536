package io.github.distlock.waiting;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Settles commands that failed, and events that an error interrupted. Thread-safe.
 */
final class FailedCommands {

	private static final Log logger = LogFactory.getLog(FailedCommands.class);

	private final CommandSender sender;

	private final TaskRunner tasks;

	FailedCommands(CommandSender sender, TaskRunner tasks) {
		this.sender = sender;
		this.tasks = tasks;
	}

	/**
	 * A command failed, or could not be sent. Throws nothing, unless the end of the stack
	 * is near.
	 */
	void failed(QueueEvents queue, Command command, Throwable failure) {
		try {
			LockBackendException cause = asBackendException(failure);
			if (command instanceof Command.Attempt attempt) {
				this.sender.run(queue, queue.attemptFailed(attempt, cause));
				return;
			}
			Command.Release release = (Command.Release) command;
			this.sender.run(queue, queue.releaseFailed(release.pending(), cause));
		}
		catch (Throwable ex) {
			recoverLater(queue, command);
			log("A failure for lock '" + queue.key() + "' could not be handled and is handled again", ex);
		}
	}

	/**
	 * An error interrupted an event, at an unknown step: settle its command later, on
	 * another thread, and let the queue attempt again.
	 */
	void recoverLater(QueueEvents queue, Command command) {
		this.tasks.scheduleRecovery(() -> {
			try {
				this.sender.run(queue, queue.recover(command));
			}
			catch (Throwable ex) {
				recoverLater(queue, command);
				log("Lock '" + queue.key() + "' could not be settled after an error", ex);
			}
		});
	}

	/** Logging may fail for the same reason as what is logged. */
	static void log(String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable ex) {
			// Everything that is necessary has been done before.
		}
	}

	private static LockBackendException asBackendException(Throwable failure) {
		Throwable cause = StoreCalls.unwrap(failure);
		return (cause instanceof LockBackendException backendException) ? backendException
				: new LockBackendException("The lock store failed in an unexpected way: " + cause, cause);
	}

}
