package io.github.distlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.DistributedLockAdvisor;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Payload;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;
import org.springframework.validation.method.MethodValidationException;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Auto-configuration for annotated methods, and the order of method validation and their
 * other advice.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistlockAopAutoConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void withAspectJMethodsAreLocked() {
		this.application.run((context) -> {
			assertThat(context.getBean(Shop.class).sell()).isEqualTo("under order-1");
			assertThat(AopUtils.isCglibProxy(context.getBean(Shop.class))).isTrue();
		});
	}

	@Test
	void withoutAspectJMethodsAreLocked() {
		this.application.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.run((context) -> assertThat(context.getBean(Shop.class).sell()).isEqualTo("under order-1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "distlock.enabled=false", "distlock.enabled=FALSE" })
	void switchedOffMethodsRunUnlocked(String property) {
		this.application.withPropertyValues(property).run((context) -> {
			assertThat(context.getBean(Shop.class).sell()).isEqualTo("unlocked");
			assertThat(context.getBean(Shop.class).sell()).isEqualTo("unlocked");
		});
	}

	@Test
	void theAdvisorCreatesNoOtherBeanAndTheRegistryNotBeforeABeanWithLocks(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(Application.class, Witness.class, DistlockAopAutoConfiguration.class);
			context.addBeanFactoryPostProcessor((beanFactory) -> {
				for (String name : beanFactory.getBeanDefinitionNames()) {
					beanFactory.getBeanDefinition(name).setLazyInit(true);
				}
			});
			context.refresh();
			assertThat(flushed(output)).doesNotContain("not eligible for getting processed by all BeanPostProcessors");
			assertThat(context.getBeanFactory().containsSingleton("distlockAdvisor")).isTrue();
			assertThat(context.getBeanFactory().containsSingleton("locks")).isFalse();
			context.getBean(Shop.class).sell();
			assertThat(context.getBeanFactory().containsSingleton("locks")).isTrue();
		}
	}

	@Test
	void aBeanThatIsCreatedBeforeProxiesAreRunsUnlockedAndAWarningNamesIt(CapturedOutput output) {
		this.application.withUserConfiguration(EarlyBeans.class).run((context) -> {
			assertThat(context.getBean(EarlyShop.class).sell()).isEqualTo("unlocked");
			assertThat(flushed(output)).containsOnlyOnce("runs without its locks")
				.contains("Bean 'early' runs without its locks, such as that on " + EarlyShop.class.getName()
						+ ".sell(): Spring has created it before it could create proxies");
		});
	}

	@Test
	void theAdvisorIsInfrastructure() {
		this.application.run((context) -> assertThat(
				context.getSourceApplicationContext().getBeanFactory().getBeanDefinition("distlockAdvisor").getRole())
			.isEqualTo(BeanDefinition.ROLE_INFRASTRUCTURE));
	}

	@Test
	void theOrderOfTheAdvisorCanBeSet() {
		this.application.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER));
		this.application.withPropertyValues("distlock.aop.order=17")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(17));
	}

	@Test
	void theBodiesOfStagesRunOnTheConfiguredExecutor() {
		ApplicationContextRunner withExecutors = this.application.withBean("applicationTaskExecutor",
				SimpleAsyncTaskExecutor.class, () -> new SimpleAsyncTaskExecutor("task-"));
		withExecutors.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(context.getBean(Shop.class).thread().get(10, TimeUnit.SECONDS))
				.startsWith("distlock-work-"));
		withExecutors.withPropertyValues("distlock.aop.executor=applicationTaskExecutor")
			.run((context) -> assertThat(context.getBean(Shop.class).thread().get(10, TimeUnit.SECONDS))
				.startsWith("task-"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

		@Bean
		@Lazy
		LockRegistry locks() {
			// Grants every lock: the test only checks that it is called.
			return new UnlockedRegistry((key) -> new ReentrantLock());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Witness {

		@Bean
		FactoryBean<Object> neverAsked() {
			return new FactoryBean<>() {

				@Override
				public Object getObject() {
					throw new IllegalStateException("asked");
				}

				@Override
				public Class<?> getObjectType() {
					return Object.class;
				}

			};
		}

	}

	/** Public, since a proxy may be defined by another class loader. */
	public static class Shop {

		@DistributedLock("'order-1'")
		public String sell() {
			return LockContext.current().map((lock) -> "under " + lock.key()).orElse("unlocked");
		}

		@DistributedLock("'order-1'")
		public CompletableFuture<String> thread() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

	}

	public static class EarlyShop extends Shop {

		@Override
		@DistributedLock("'order-2'")
		public String sell() {
			return super.sell();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyBeans {

		@Bean
		EarlyShop early() {
			return new EarlyShop();
		}

		@Bean
		static BeanFactoryPostProcessor reader(EarlyShop early) {
			return (beanFactory) -> {
			};
		}

	}

	private final ApplicationContextRunner validated = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, ValidationAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class))
		.withPropertyValues("distlock.backend=local", "distlock.wait-time=30s",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()
						+ ";INIT=create table if not exists orders (id varchar(20))")
		.withUserConfiguration(ValidatedShop.class);

	@AfterEach
	void logout() {
		SecurityContextHolder.clearContext();
		Checked.seen.clear();
	}

	@Test
	void anInvalidArgumentIsRefusedWithoutALock() {
		this.validated.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			// Not the exception for a key without a value.
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.pay(null, "x"));
			try (HeldLock rival = Contexts.rival(context, "order-1")) {
				// With the lock it would wait for 30 seconds and then fail.
				assertThatExceptionOfType(ConstraintViolationException.class)
					.isThrownBy(() -> orders.pay("1", "wrong"));
				assertThat(rival.isHeld()).isTrue();
			}
			assertThat(orders.pay("1", "right")).isEqualTo("order-1");
		});
	}

	@Test
	void argumentsAreValidatedOnceOutsideOfLockAndTransaction() {
		this.validated.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.pay("1", "right")).isEqualTo("order-1");
			assertThat(Checked.seen).containsExactly("right without lock without transaction");
		});
	}

	@Test
	void anInvalidResultIsFoundAfterTheCommit() {
		this.validated.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(orders.write("1", "kept")).isEqualTo("kept");
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.write("2", null));
			assertThat(jdbc.queryForList("select id from orders", String.class)).containsExactly("1", "2");
			assertThat(Checked.seen).containsExactly("1 without lock without transaction",
					"2 without lock without transaction");
		});
	}

	@Test
	void violationsAreAdaptedIfConfigured() {
		this.validated.withPropertyValues("spring.validation.method.adapt-constraint-violations=true")
			.run((context) -> {
				Orders orders = context.getBean(Orders.class);
				assertThatExceptionOfType(MethodValidationException.class).isThrownBy(() -> orders.pay(null, "x"));
				assertThatExceptionOfType(MethodValidationException.class).isThrownBy(() -> orders.write("2", null))
					.matches(MethodValidationException::isForReturnValue);
			});
	}

	@Test
	void securityComesBeforeValidation() {
		this.validated.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			login("USER");
			assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> orders.delete(null));
			login("ADMIN");
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.delete(null));
			assertThat(orders.delete("1")).isEqualTo("order-1");
		});
	}

	@Test
	void argumentsOfAnAsyncMethodAreValidatedOnTheThreadThatRunsIt() {
		this.validated.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.later("1").get(10, TimeUnit.SECONDS)).startsWith("order-1 on application-");
			CompletableFuture<String> refused = orders.later(null);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> refused.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(ConstraintViolationException.class);
		});
	}

	@Test
	void argumentsOfAMethodThatReturnsAStageAreValidatedOnceByItsCaller() {
		this.validated.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.stage("wrong"));
			assertThat(orders.stage("right").get(10, TimeUnit.SECONDS)).isEqualTo("stage-right");
			assertThat(Checked.seen).containsExactly("wrong without lock without transaction",
					"right without lock without transaction");
		});
	}

	@Test
	void beansWithoutLockedMethodsKeepTheirOrder() {
		this.validated.run((context) -> {
			assertThatExceptionOfType(ConstraintViolationException.class)
				.isThrownBy(() -> context.getBean(Unlocked.class).write("wrong"));
			assertThat(Checked.seen).containsExactly("wrong without lock in transaction");
			Advisor[] advisors = ((Advised) context.getBean(Unlocked.class)).getAdvisors();
			assertThat(advisors[advisors.length - 1].getAdvice()).isInstanceOf(MethodValidationInterceptor.class);
		});
	}

	@Test
	void anOrderOfTheApplicationIsKept() {
		this.validated.withBean(MethodValidationPostProcessor.class, () -> {
			MethodValidationPostProcessor first = new MethodValidationPostProcessor();
			first.setBeforeExistingAdvisors(true);
			return first;
		}).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			login("USER");
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.delete(null));
			assertThat(Stream.of(((Advised) orders).getAdvisors()).map(Advisor::getAdvice))
				.filteredOn(MethodValidationInterceptor.class::isInstance)
				.hasSize(1);
		});
	}

	@Test
	void eachOfTwoPostProcessorsValidatesTheArgumentsOnceAndOutsideOfTheLock() {
		this.validated.withUserConfiguration(TwoValidations.class).run((context) -> {
			context.getBean(TwiceValidated.class).pay("1");
			assertThat(Checked.seen).containsExactly("1 without lock without transaction",
					"1 without lock without transaction");
		});
	}

	private static void login(String role) {
		SecurityContextHolder.getContext()
			.setAuthentication(new TestingAuthenticationToken("user", "password", "ROLE_" + role));
	}

	private static String key() {
		return LockContext.current().map(HeldLock::key).orElse("no lock");
	}

	@Validated
	static class Orders {

		private final JdbcTemplate jdbc;

		Orders(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("'order-' + #id")
		@Transactional
		public String pay(@NotNull @Nullable String id, @Right String how) {
			return key();
		}

		@DistributedLock("'order-' + #id")
		@Transactional
		public @NotNull @Nullable String write(@Right String id, @Nullable String result) {
			this.jdbc.update("insert into orders values (?)", id);
			return result;
		}

		@DistributedLock("'order-' + #id")
		@PreAuthorize("hasRole('ADMIN')")
		public String delete(@NotNull @Nullable String id) {
			return key();
		}

		@DistributedLock("'order-' + #id")
		@Async
		public CompletableFuture<String> later(@NotNull @Nullable String id) {
			return CompletableFuture.completedFuture(key() + " on " + Thread.currentThread().getName());
		}

		@DistributedLock("'stage-' + #id")
		public CompletableFuture<String> stage(@Right String id) {
			return CompletableFuture.completedFuture(key());
		}

	}

	@Validated
	static class Unlocked {

		@Transactional
		public void write(@Right String id) {
		}

	}

	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@interface AlsoValidated {

	}

	@Validated
	@AlsoValidated
	static class TwiceValidated {

		@DistributedLock("'order-' + #id")
		public void pay(@Right String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(TwiceValidated.class)
	static class TwoValidations {

		@Bean
		static MethodValidationPostProcessor first() {
			return new MethodValidationPostProcessor();
		}

		@Bean
		static MethodValidationPostProcessor second() {
			MethodValidationPostProcessor second = new MethodValidationPostProcessor();
			second.setValidatedAnnotationType(AlsoValidated.class);
			return second;
		}

	}

	@Target(ElementType.PARAMETER)
	@Retention(RetentionPolicy.RUNTIME)
	@Constraint(validatedBy = Checked.class)
	@interface Right {

		String message() default "must be right";

		Class<?>[] groups() default {};

		Class<? extends Payload>[] payload() default {};

	}

	/** Stands for a validator that queries a database. */
	public static class Checked implements ConstraintValidator<Right, String> {

		private static final List<String> seen = new CopyOnWriteArrayList<>();

		@Override
		public boolean isValid(String value, ConstraintValidatorContext context) {
			seen.add(value + (LockContext.current().isPresent() ? " in lock" : " without lock")
					+ (TransactionSynchronizationManager.isActualTransactionActive() ? " in transaction"
							: " without transaction"));
			return !value.equals("wrong");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableMethodSecurity
	@EnableTransactionManagement
	@Import({ Orders.class, Unlocked.class })
	static class ValidatedShop {

		@Bean
		SimpleAsyncTaskExecutor applicationTaskExecutor() {
			return new SimpleAsyncTaskExecutor("application-");
		}

	}

}
