package io.github.distlock.context;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;

class LockContextAccessorTests {

	private final HeldLock lock = Mockito.mock(HeldLock.class);

	@Test
	void aDecoratedTaskRunsUnderTheLocksOfItsSubmitterAndRestoresTheThread() throws Exception {
		CompletableFuture<List<HeldLock>> during = new CompletableFuture<>();
		Runnable task;
		LockContext.Scope scope = LockContext.open(this.lock);
		try {
			task = new ContextPropagatingTaskDecorator().decorate(() -> during.complete(LockContext.all()));
		}
		finally {
			scope.close();
		}
		CompletableFuture<List<HeldLock>> after = CompletableFuture.supplyAsync(() -> {
			task.run();
			return LockContext.all();
		});
		assertThat(during.get(10, TimeUnit.SECONDS)).containsExactly(this.lock);
		assertThat(after.get(10, TimeUnit.SECONDS)).isEmpty();
	}

}
