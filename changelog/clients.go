package changelog

import "fmt"

// The names under which an application's clients and transactions appear on a
// broker; numbers of threads start at 1.

// ClientID returns the client.id of an instance that configures none.
func ClientID(application, process string) string { return application + "-" + process }

// StreamThread returns the name of a processing thread.
func StreamThread(client string, thread int) string {
	return fmt.Sprintf("%s-StreamThread-%d", client, thread)
}

// StateUpdater returns the name of a restoring thread.
func StateUpdater(client string, thread int) string {
	return fmt.Sprintf("%s-StateUpdater-%d", client, thread)
}

// GlobalThread returns the name of the thread that feeds global stores.
func GlobalThread(client string) string { return client + "-GlobalStreamThread" }

// ConsumerID returns the client.id of a thread's group consumer.
func ConsumerID(thread string) string { return thread + "-consumer" }

// RestoreConsumerID returns the client.id of the consumer of a StateUpdater.
func RestoreConsumerID(stateUpdater string) string { return stateUpdater + "-restore-consumer" }

// GlobalConsumerID returns the client.id of the consumer of the GlobalThread.
func GlobalConsumerID(globalThread string) string { return globalThread + "-global-consumer" }

// ProducerID returns the client.id of a thread's producer.
func ProducerID(thread string) string { return thread + "-producer" }

// AdminID returns the client.id of an instance's admin client.
func AdminID(client string) string { return client + "-admin" }

// GroupInstanceID returns the group.instance.id of a thread, given the
// configured one.
func GroupInstanceID(configured string, thread int) string {
	return fmt.Sprintf("%s-%d", configured, thread)
}

// TransactionalID returns the transactional.id of a thread's producer under
// exactly-once v2. It contains the process id, so that an instance never fences
// another by accident.
func TransactionalID(application, process string, thread int) string {
	return fmt.Sprintf("%s-%s-%d", application, process, thread)
}
