package io.github.distlock.aop;

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LockEnvironment.StoreFacts;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.OnActiveTransaction;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * A small application with locked methods.
 */
final class LockedApplication {

	private final Map<String, Object> properties = new HashMap<>();

	private final List<Class<?>> classes = new ArrayList<>(List.of(Locking.class));

	private Consumer<AnnotationConfigApplicationContext> customizer = (context) -> {
	};

	static LockedApplication of(Class<?>... classes) {
		LockedApplication application = new LockedApplication();
		// Before the library, as auto-configuration does: equal orders are not in its
		// favour.
		application.classes.addAll(0, List.of(classes));
		return application;
	}

	LockedApplication with(String property, Object value) {
		this.properties.put(property, value);
		return this;
	}

	LockedApplication with(Consumer<AnnotationConfigApplicationContext> customizer) {
		this.customizer = this.customizer.andThen(customizer);
		return this;
	}

	LockedApplication withClassProxies() {
		return with(AopConfigUtils::forceAutoProxyCreatorToUseClassProxying);
	}

	AnnotationConfigApplicationContext start() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", this.properties));
		context.register(this.classes.toArray(Class<?>[]::new));
		this.customizer.accept(context);
		try {
			context.refresh();
			return context;
		}
		catch (RuntimeException | Error ex) {
			context.close();
			throw ex;
		}
	}

	/** Start, call a bean, and return the locks, which have recorded the call. */
	<T> InMemoryLocks call(Class<T> bean, Consumer<? super T> call) {
		try (AnnotationConfigApplicationContext context = start()) {
			call.accept(context.getBean(bean));
			return context.getBean(InMemoryLocks.class);
		}
	}

	/** Call the {@link Work}, and return the first request for its lock. */
	LockRequest request() {
		return call(Work.class, Work::run).requests.get(0);
	}

	/**
	 * Check that the start fails because of an annotation.
	 * @param problems parts of the message
	 */
	void assertRefused(String... problems) {
		assertThatException().isThrownBy(() -> start().close()).satisfies((ex) -> {
			Throwable root = ex;
			while (!(root instanceof LockDefinitionException) && root.getCause() != null) {
				root = root.getCause();
			}
			assertThat(root).isInstanceOf(LockDefinitionException.class);
			assertThat(root.getMessage()).startsWith("@DistributedLock").contains(problems);
		});
	}

	/** Load a generated class of this package. */
	static Class<?> load(DynamicType.Builder<?> type) {
		return type.make()
			.load(LockedApplication.class.getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded();
	}

	/** A bean whose class is annotated. */
	abstract static class Work {

		public void run() {
		}

	}

	/** A bean that records its work. */
	abstract static class Recording {

		@Autowired
		InMemoryLocks locks;

	}

	/** The wiring that an application needs, by hand. */
	@Configuration(proxyBeanMethods = false)
	@Import(LockProxyRegistrar.class)
	static class Locking {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DistributedLockAdvisor distributedLockAdvisor(ConfigurableBeanFactory beanFactory,
				Environment environment, ObjectProvider<LockRegistry> registry, ObjectProvider<LockListener> listeners,
				ObjectProvider<AtomicBoolean> enabled, ObjectProvider<LockFailureHandler> handler) {
			int order = environment.getProperty("order", Integer.class, DistributedLockAdvisor.DEFAULT_ORDER);
			OnActiveTransaction onActive = environment.getProperty("on-active", OnActiveTransaction.class,
					OnActiveTransaction.KEEP);
			AopMode mode = environment.getProperty("mode", AopMode.class, AopMode.PROXY);
			return new DistributedLockAdvisor(beanFactory, mode, order,
					new LockEnvironment(registry::getObject, () -> listeners.orderedStream().toList(),
							() -> enabled.getObject().get(), Locking::facts, () -> Duration.ofSeconds(5),
							() -> onActive, handler::getIfAvailable,
							LockEnvironment
								.cached(() -> WorkExecutor.of(environment.getProperty("virtual", Boolean.class, false),
										executor(beanFactory, environment), beanFactory.getBeanClassLoader())),
							LockObservers.NONE, Optional::empty));
		}

		private static @Nullable Executor executor(ConfigurableBeanFactory beanFactory, Environment environment) {
			String name = environment.getProperty("executor");
			return (name != null) ? beanFactory.getBean(name, Executor.class) : null;
		}

		private static StoreFacts facts(LockRegistry locks) {
			boolean all = locks.getClass() == InMemoryLocks.class;
			return new StoreFacts("memory", (request) -> {
				if (!all && request.fair()) {
					throw new LockDefinitionException("the store 'memory' is not fair");
				}
			});
		}

		@Bean
		static PropertySourcesPlaceholderConfigurer placeholders() {
			return new PropertySourcesPlaceholderConfigurer();
		}

		@Bean
		InMemoryLocks locks() {
			return new InMemoryLocks();
		}

		@Bean
		AtomicBoolean enabled(Environment environment) {
			return new AtomicBoolean(environment.getProperty("enabled", Boolean.class, true));
		}

	}

	/** A database with one table, whose transactions commit under locks that are held. */
	@Configuration(proxyBeanMethods = false)
	static class GuardedDatabase {

		@Bean
		static CommitGuard commitGuard() {
			return new CommitGuard(() -> new CommitTerms(true, Duration.ZERO));
		}

		@Bean
		DataSourceTransactionManager transactionManager() {
			return new DataSourceTransactionManager(
					new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSourceTransactionManager manager) {
			JdbcTemplate template = new JdbcTemplate(Objects.requireNonNull(manager.getDataSource()));
			template.execute("create table stock (id int)");
			return template;
		}

	}

}
